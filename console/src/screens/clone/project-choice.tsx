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
import { useDocument } from '../../api/use-document.js';
import { CloneTargetsDocument, type CloneTargetsQuery } from '../../generated/documents.js';
import { useDebounced } from '../../ui/use-debounced.js';

export type Target = CloneTargetsQuery['projects']['nodes'][number];

type Props = {
  value: Target | null;
  onChange: (target: Target) => void;
  isInvalid: boolean;
  describedBy: string;
};

/** The projects that the caller may create features in, searched by name. */
export const ProjectChoice = ({ value, onChange, isInvalid, describedBy }: Props) => {
  /** Null while nothing is typed. */
  const [typed, setTyped] = useState<string | null>(null);
  const search = useDebounced(typed ?? '') || null;
  const { data } = useDocument(CloneTargetsDocument, { search }, { isFresh: false });
  const targets = data?.projects.nodes ?? [];
  return (
    <ComboBox
      className="field"
      menuTrigger="focus"
      allowsEmptyCollection
      items={targets}
      inputValue={typed ?? value?.name ?? ''}
      selectedKey={value?.id ?? null}
      isInvalid={isInvalid}
      onInputChange={(text) => setTyped(text === value?.name ? null : text)}
      onSelectionChange={(key) => {
        setTyped(null);
        const target = targets.find(({ id }) => id === key);
        if (target) onChange(target);
      }}
      onBlur={() => setTyped(null)}
    >
      <Label>Project</Label>
      <div className="combo">
        <Input aria-describedby={describedBy} />
        <Button aria-label="Projects">▾</Button>
      </div>
      <Popover className="popover project-options">
        <ListBox
          className="options"
          renderEmptyState={() => (
            <p className="empty">No project matches in which you may create features.</p>
          )}
        >
          {(target: Target) => (
            <ListBoxItem className="option" textValue={target.name}>
              <span>{target.name}</span>
              <span className="count">{target.id}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};
