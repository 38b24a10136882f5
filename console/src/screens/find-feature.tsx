import { useRef, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useLocation } from 'wouter';
import { useDocument } from '../api/use-document.js';
import { FindFeaturesDocument, type FindFeaturesQuery } from '../generated/documents.js';
import { useDebounced } from '../ui/use-debounced.js';
import { useShortcuts } from '../ui/use-shortcuts.js';

type Found = FindFeaturesQuery['features']['nodes'][number];

const placeOf = ({ archived, project, projectId }: Found): string =>
  archived ? 'archived' : (project?.name ?? projectId ?? '');

/** Opens a feature by a part of its name or description, from every screen. */
export const FindFeature = () => {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const searched = useDebounced(text.trim());
  const { data, isLoading } = useDocument(
    FindFeaturesDocument,
    { text: searched },
    { isPaused: searched === '', isFresh: false },
  );
  const isSettled = searched === text.trim() && searched !== '' && !isLoading;
  useShortcuts({
    f: () => input.current?.focus(),
    // Screens with their own search use it for this key.
    '/': () => document.querySelector('main [type=search]') === null && input.current?.focus(),
  });
  return (
    <ComboBox
      className="find"
      items={searched === '' ? [] : (data?.features.nodes ?? [])}
      inputValue={text}
      onInputChange={setText}
      selectedKey={null}
      onSelectionChange={(name) => {
        if (name === null) return;
        setText('');
        navigate(`/features/${encodeURIComponent(name)}`);
      }}
      allowsEmptyCollection
    >
      <Label className="hidden">Find a feature</Label>
      <Input ref={input} placeholder="Find a feature" />
      <Popover className="popover find-options">
        <ListBox
          className="options"
          renderEmptyState={() => (
            <p className="empty">{isSettled ? 'No feature matches' : 'Searching …'}</p>
          )}
        >
          {(feature: Found) => (
            <ListBoxItem id={feature.name} className="option" textValue={feature.name}>
              <span>{feature.name}</span>
              <span className="count">{placeOf(feature)}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};
