import { useEffect, useState } from 'react';

type Props = { label: string; value: string; onChange: (day: string) => void };

/** While a year is typed, browsers report the years 2, 20 and 202. */
const isComplete = (day: string): boolean => !day.startsWith('0');

/** A day in UTC, as in the activity above the list. */
export const DateField = ({ label, value, onChange }: Props) => {
  const [day, setDay] = useState(value);
  useEffect(() => setDay(value), [value]);
  return (
    <label className="field date">
      <span>{label}</span>
      <input
        type="date"
        title="Days are in UTC"
        value={day}
        data-empty={day === '' || undefined}
        onChange={({ target }) => {
          setDay(target.value);
          if (isComplete(target.value)) onChange(target.value);
        }}
        onBlur={() => setDay(value)}
      />
    </label>
  );
};
