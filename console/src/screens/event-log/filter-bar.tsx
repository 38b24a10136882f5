import { memo, useCallback, useDeferredValue, useId, useState } from 'react';
import { Button } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { EventFacetsDocument } from '../../generated/documents.js';
import { Choice, type Option } from '../../ui/choice.js';
import { SearchBox } from '../../ui/search-box.js';
import { useDebounced } from '../../ui/use-debounced.js';
import { DateField } from './date-field.js';
import { EMPTY_VIEW, type EventView } from './event-view.js';

const titleCase = (name: string): string =>
  name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ');

const optionsOf = <Facet extends { count: number }>(
  list: readonly Facet[] | undefined,
  nameOf: (facet: Facet) => string,
  labelOf = nameOf,
): Option[] | undefined =>
  list?.map((facet) => ({ id: nameOf(facet), label: labelOf(facet), count: facet.count }));

type Types = readonly { category?: string | null; count: number }[];

const categoriesOf = (types: Types): Option[] => {
  const counts = new Map<string, number>();
  for (const { category, count } of types) {
    if (category) counts.set(category, (counts.get(category) ?? 0) + count);
  }
  return [...counts].map(([id, count]) => ({ id, label: titleCase(id), count }));
};

/** Conditions other than the text, which is always visible. */
const countConditions = ({ text, event, ...others }: EventView): number =>
  Object.values(others).filter((value) => value !== '').length;

/** Counting them with the other filters would read the whole log at each change. */
const NOTE = 'Numbers count all events.';

type Props = {
  view: EventView;
  /** Whether everything else is loaded: the choices come last. */
  isReady: boolean;
  onChange: (changes: Partial<EventView>) => void;
};

/** The choices come from the log itself, with the number of events of each. */
export const FilterBar = memo(({ view, isReady, onChange }: Props) => {
  const [wasReady, setWasReady] = useState(isReady);
  if (isReady && !wasReady) setWasReady(true);
  const [search, setSearch] = useState({ author: '', feature: '' });
  const { data } = useDocument(EventFacetsDocument, useDebounced(search), {
    isPaused: !wasReady,
    isFresh: false,
  });
  const [isOpen, setIsOpen] = useState(false);
  /** Changes when the filters are cleared, with a text that is still being typed. */
  const [cleared, setCleared] = useState(0);
  const fieldsId = useId();
  // Hundreds of choices are rendered between the frames of the list.
  const facets = useDeferredValue(data?.eventFacets);
  const count = countConditions(view);
  const setText = useCallback((text: string) => onChange({ text }), [onChange]);

  return (
    <search className="filters" data-open={isOpen || undefined}>
      <SearchBox
        key={cleared}
        label="Search"
        placeholder="Text in the data"
        value={view.text}
        onChange={setText}
      />
      <Button
        className="button filters-toggle"
        aria-expanded={isOpen}
        aria-controls={fieldsId}
        onPress={() => setIsOpen(!isOpen)}
      >
        Filters{count === 0 ? '' : ` (${count})`}
      </Button>
      <div className="filter-fields" id={fieldsId}>
        <Choice
          note={NOTE}
          label="Author"
          value={view.author}
          options={optionsOf(facets?.authors.nodes, ({ createdBy }) => createdBy)}
          onSearch={(author) => setSearch((old) => ({ ...old, author }))}
          onChange={(author) => onChange({ author })}
        />
        <Choice
          note={NOTE}
          label="Project"
          value={view.project}
          options={optionsOf(facets?.projects.nodes, ({ projectId }) => projectId)}
          onChange={(project) => onChange({ project })}
        />
        <Choice
          note={NOTE}
          label="Feature"
          value={view.feature}
          options={optionsOf(facets?.features.nodes, ({ featureName }) => featureName)}
          onSearch={(feature) => setSearch((old) => ({ ...old, feature }))}
          onChange={(feature) => onChange({ feature })}
        />
        <Choice
          note={NOTE}
          label="Environment"
          value={view.environment}
          options={optionsOf(facets?.environments, ({ environmentName }) => environmentName)}
          onChange={(environment) => onChange({ environment })}
        />
        <Choice
          note={NOTE}
          label="Category"
          value={view.category}
          options={facets && categoriesOf(facets.types)}
          onChange={(category) => onChange({ category, type: '' })}
        />
        <Choice
          note={NOTE}
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
        <DateField label="From" value={view.from} onChange={(from) => onChange({ from })} />
        <DateField label="To" value={view.to} onChange={(to) => onChange({ to })} />
        <Button
          className="button"
          isDisabled={count === 0 && view.text === ''}
          onPress={() => {
            setCleared(cleared + 1);
            onChange({ ...EMPTY_VIEW, event: view.event });
          }}
        >
          Clear
        </Button>
      </div>
    </search>
  );
});
