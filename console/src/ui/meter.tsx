/** A share of 100 as a bar with its number. The colour repeats what the number says. */
export const Meter = ({ value, level }: { value: number; level: 'good' | 'fair' | 'poor' }) => (
  <span className="meter" data-level={level}>
    <span className="meter-bar" aria-hidden="true">
      <span style={{ width: `${Math.min(Math.max(value, 0), 100)}%` }} />
    </span>
    <span className="meter-value">{value}</span>
  </span>
);
