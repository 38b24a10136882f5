import { useState } from 'react';
import {
  Button,
  ComboBox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';
import { hasFocusedOption } from './focused-option.js';

export type Option = { id: string; label: string; count: number };

type Props = {
  label: string;
  value: string;
  /** Undefined while they are being loaded. */
  options: readonly Option[] | undefined;
  onChange: (value: string) => void;
  /** Searches on the server; without it, the options are all there are. */
  onSearch?: (text: string) => void;
  /** Says what the numbers count. */
  note?: string;
};

/** The option that Enter chooses: the one that was typed, else the first that starts with the text, else the only one. */
const bestMatch = (options: readonly Option[], typed: string): Option | undefined => {
  const text = typed.trim().toLowerCase();
  if (text === '') return undefined;
  const labels = options.map(({ label }) => label.toLowerCase());
  const same = labels.indexOf(text);
  const first = same >= 0 ? same : labels.findIndex((label) => label.startsWith(text));
  return options[first] ?? (options.length === 1 ? options[0] : undefined);
};

/** A filter with counted options. The empty string is ignored. */
export const Choice = ({ label, value, options: loaded, onChange, onSearch, note }: Props) => {
  const options = loaded ?? [];
  const [typed, setTyped] = useState<string | null>(null);
  const chosen = options.find(({ id }) => id === value)?.label ?? value;
  const text = typed ?? chosen;
  const matching =
    typed === null || onSearch
      ? options
      : options.filter((option) => option.label.toLowerCase().includes(typed.toLowerCase()));
  return (
    <ComboBox
      className="field"
      menuTrigger="focus"
      allowsEmptyCollection
      items={matching}
      inputValue={text}
      selectedKey={value === '' ? null : value}
      onInputChange={(input) => {
        setTyped(input);
        onSearch?.(input === chosen ? '' : input);
        if (input === '' && value !== '') onChange('');
      }}
      onSelectionChange={(key) => {
        setTyped(null);
        if (key !== null) onChange(String(key));
      }}
      onBlur={() => setTyped(null)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || typed === null || hasFocusedOption(event.target)) return;
        const match = bestMatch(matching, typed);
        if (!match) return;
        setTyped(null);
        onChange(match.id);
      }}
    >
      <Label>{label}</Label>
      <div className="combo">
        <Input placeholder="All" />
        <Button aria-label={`${label} options`}>▾</Button>
      </div>
      <Popover className="popover">
        <ListBox
          className="options"
          renderEmptyState={() => <p className="empty">{loaded ? 'No match' : 'Loading …'}</p>}
        >
          {(option: Option) => (
            <ListBoxItem className="option" textValue={option.label}>
              <span>{option.label}</span>
              <span className="count">{option.count.toLocaleString()}</span>
            </ListBoxItem>
          )}
        </ListBox>
        {note === undefined ? null : <p className="options-note">{note}</p>}
      </Popover>
    </ComboBox>
  );
};
