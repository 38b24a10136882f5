import { useEffect, useId, useState } from 'react';
import { DEFAULT_DAYS, MOST_DAYS, parseDays } from './clean-up-view.js';

const TYPING_MS = 400;

/** Days without use after which a feature counts as not seen. */
export const DaysField = ({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) => {
  const errorId = useId();
  const shown = value === '' ? String(DEFAULT_DAYS) : value;
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const days = parseDays(text);
  useEffect(() => {
    if (days === null || text === shown) return;
    const next = days === DEFAULT_DAYS ? '' : String(days);
    const timer = setTimeout(() => onChange(next), TYPING_MS);
    return () => clearTimeout(timer);
  }, [days, text, shown, onChange]);
  return (
    <label className="field">
      <span>Days without use</span>
      <input
        type="number"
        inputMode="numeric"
        min={1}
        max={MOST_DAYS}
        value={text}
        aria-invalid={days === null}
        aria-describedby={days === null ? errorId : undefined}
        onChange={(event) => setText(event.target.value)}
      />
      {days === null ? (
        <span id={errorId} className="field-error" role="alert">
          From 1 to {MOST_DAYS.toLocaleString()}
        </span>
      ) : null}
    </label>
  );
};
