import { useEffect, useRef, useState } from 'react';
import { Input, Label, SearchField } from 'react-aria-components';
import { useShortcuts } from './use-shortcuts.js';

const TYPING_MS = 250;

type Props = {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
};

/** A text filter. `/` moves to it, `Esc` clears it. */
export const SearchBox = ({ label, placeholder, value, onChange }: Props) => {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  useShortcuts({ '/': () => input.current?.focus() });
  return (
    <SearchField value={text} onChange={setText} className="field search" maxLength={500}>
      <Label>{label}</Label>
      <Input
        ref={input}
        placeholder={`${placeholder} ( / )`}
        // Leaves an empty search, so that other keys work.
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape' && text === '') currentTarget.blur();
        }}
      />
    </SearchField>
  );
};
