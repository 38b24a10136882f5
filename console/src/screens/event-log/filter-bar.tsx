import { useEffect, useRef, useState } from 'react';
import { Button, Input, Label, SearchField } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { EventFacetsDocument } from '../../generated/documents.js';
import { Choice, type Option } from '../../ui/choice.js';
import { useShortcuts } from '../../ui/use-shortcuts.js';
import { EMPTY_VIEW, type EventView } from './event-view.js';

const TYPING_MS = 250;

const titleCase = (name: string): string =>
  name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ');

/** The choices come from the log itself, with the number of events of each. */
export const FilterBar = ({
  view,
  onChange,
}: {
  view: EventView;
  onChange: (changes: Partial<EventView>) => void;
}) => {
  const [search, setSearch] = useState({ author: '', feature: '' });
  const { data } = useDocument(EventFacetsDocument, search, { isFresh: false });
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(view.text);
  useEffect(() => setText(view.text), [view.text]);
  useEffect(() => {
    if (text === view.text) return;
    const timer = setTimeout(() => onChange({ text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, view.text, onChange]);
  useShortcuts({ '/': () => input.current?.focus() });

  const facets = data?.eventFacets;
  const optionsOf = <Facet extends { count: number }>(
    list: readonly Facet[] | undefined,
    nameOf: (facet: Facet) => string,
    labelOf = nameOf,
  ): Option[] =>
    (list ?? []).map((facet) => ({
      id: nameOf(facet),
      label: labelOf(facet),
      count: facet.count,
    }));
  const categories = new Map<string, number>();
  for (const { category, count } of facets?.types ?? []) {
    if (category) categories.set(category, (categories.get(category) ?? 0) + count);
  }
  const isFiltered = Object.entries(view).some(([key, value]) => key !== 'event' && value !== '');

  return (
    <search className="filters">
      <SearchField value={text} onChange={setText} className="field search">
        <Label>Search</Label>
        <Input ref={input} placeholder="Text in events ( / )" />
      </SearchField>
      <Choice
        label="Author"
        value={view.author}
        options={optionsOf(facets?.authors.nodes, ({ createdBy }) => createdBy)}
        onSearch={(author) => setSearch((old) => ({ ...old, author }))}
        onChange={(author) => onChange({ author })}
      />
      <Choice
        label="Project"
        value={view.project}
        options={optionsOf(facets?.projects.nodes, ({ projectId }) => projectId)}
        onChange={(project) => onChange({ project })}
      />
      <Choice
        label="Feature"
        value={view.feature}
        options={optionsOf(facets?.features.nodes, ({ featureName }) => featureName)}
        onSearch={(feature) => setSearch((old) => ({ ...old, feature }))}
        onChange={(feature) => onChange({ feature })}
      />
      <Choice
        label="Environment"
        value={view.environment}
        options={optionsOf(facets?.environments, ({ environmentName }) => environmentName)}
        onChange={(environment) => onChange({ environment })}
      />
      <Choice
        label="Category"
        value={view.category}
        options={[...categories].map(([id, count]) => ({ id, label: titleCase(id), count }))}
        onChange={(category) => onChange({ category, type: '' })}
      />
      <Choice
        label="Type"
        value={view.type}
        options={optionsOf(
          facets?.types.filter(
            ({ category }) => view.category === '' || category === view.category,
          ),
          ({ type }) => type,
          ({ label }) => label,
        )}
        onChange={(type) => onChange({ type })}
      />
      <label className="field">
        <span>From</span>
        <input
          type="date"
          value={view.since}
          onChange={(event) => onChange({ since: event.target.value })}
        />
      </label>
      <label className="field">
        <span>To</span>
        <input
          type="date"
          value={view.until}
          onChange={(event) => onChange({ until: event.target.value })}
        />
      </label>
      <Button
        className="button"
        isDisabled={!isFiltered}
        onPress={() => onChange({ ...EMPTY_VIEW, event: view.event })}
      >
        Clear
      </Button>
    </search>
  );
};
