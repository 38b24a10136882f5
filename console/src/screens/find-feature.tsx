import { useEffect, useRef, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useLocation } from 'wouter';
import { useDocument } from '../api/use-document.js';
import {
  FindFeaturesDocument,
  type FindFeaturesQuery,
  type FoundFeatureFragment,
} from '../generated/documents.js';
import { hasFocusedOption } from '../ui/focused-option.js';
import { textOf } from '../ui/problem-notice.js';
import { useDebounced } from '../ui/use-debounced.js';
import { useShortcuts } from '../ui/use-shortcuts.js';

type Found = FoundFeatureFragment;

const placeOf = ({ archived, project, projectId }: Found): string =>
  archived ? 'archived' : (project?.name ?? projectId ?? '');

const MAX_FOUND = 8;

/** Features whose name contains the text come before those whose description does. */
const foundIn = ({ named, features }: FindFeaturesQuery): Found[] => {
  const byName = new Map([...named.nodes, ...features.nodes].map((found) => [found.name, found]));
  return [...byName.values()].slice(0, MAX_FOUND);
};

/** Opens a feature by a part of its name or description, from every screen. */
export const FindFeature = () => {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const searched = useDebounced(text.trim());
  const { data, isLoading, problem } = useDocument(
    FindFeaturesDocument,
    { text: searched },
    { isPaused: searched === '', isFresh: false },
  );
  const found = searched === '' || !data ? [] : foundIn(data);
  const open = (name: string) => {
    setText('');
    navigate(`/features/${encodeURIComponent(name)}`);
  };
  const isSettled = searched === text.trim() && searched !== '' && !isLoading;
  /** Enter was pressed before the features were found. */
  const [isEntered, setIsEntered] = useState(false);
  const best = isSettled ? found[0]?.name : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once the features are found.
  useEffect(() => {
    if (!isEntered || !isSettled) return;
    setIsEntered(false);
    if (best !== undefined) open(best);
  }, [isEntered, isSettled, best]);
  useShortcuts({
    f: () => input.current?.focus(),
    // Screens with their own search use it for this key.
    '/': () => document.querySelector('main [type=search]') === null && input.current?.focus(),
  });
  return (
    <ComboBox
      className="find"
      items={found}
      inputValue={text}
      onInputChange={(input) => {
        setText(input);
        setIsEntered(false);
      }}
      selectedKey={null}
      onSelectionChange={(name) => {
        if (name !== null) open(String(name));
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !hasFocusedOption(event.target))
          setIsEntered(text.trim() !== '');
      }}
      allowsEmptyCollection
    >
      <Label className="hidden">Find a feature</Label>
      <Input ref={input} placeholder="Find a feature" />
      <Popover className="popover find-options">
        <ListBox
          className="options"
          renderEmptyState={() => (
            <p className="empty">
              {problem && isSettled
                ? textOf(problem).text
                : isSettled
                  ? 'No feature matches'
                  : 'Searching …'}
            </p>
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
