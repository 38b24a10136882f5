type Props = {
  label: string;
  value: string;
  options: readonly { id: string; label: string }[];
  onChange: (value: string) => void;
  className?: string;
};

/** A choice of few values. */
export const SelectField = ({ label, value, options, onChange, className = '' }: Props) => (
  <label className={`field ${className}`}>
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
      {options.some(({ id }) => id === value) ? null : <option value={value}>{value}</option>}
    </select>
  </label>
);
