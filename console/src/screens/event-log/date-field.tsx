type Props = { label: string; value: string; onChange: (day: string) => void };

/** A day in UTC, as in the activity above the list. */
export const DateField = ({ label, value, onChange }: Props) => (
  <label className="field date">
    <span>{label}</span>
    <input
      type="date"
      title="Days are in UTC"
      value={value}
      data-empty={value === '' || undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
);
