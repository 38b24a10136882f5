import { useMemo } from 'react';
import { Button } from 'react-aria-components';
import { usePages } from '../../api/use-pages.js';
import { ProjectFeaturesDocument, type ProjectFeaturesQuery } from '../../generated/documents.js';
import { countOf } from '../../ui/count.js';
import { PagedTable } from '../../ui/paged-table.js';
import { SearchBox } from '../../ui/search-box.js';
import { SelectField } from '../../ui/select-field.js';
import { ShowQuery } from '../../ui/show-query.js';
import { readSort, writeSort } from '../../ui/sort.js';
import { SortHeader } from '../../ui/sort-header.js';
import { useView } from '../../ui/use-view.js';
import { EMPTY_VIEW, filterOf, SORT_OPTIONS, SORTS, STAGES, STATES } from './feature-list-view.js';
import { FeatureRow } from './feature-row.js';
import type { ProjectDetails } from './project-details.js';

const PAGE_SIZE = 50;
const ALL = { id: '', label: 'All' };

const pageOf = ({ project }: ProjectFeaturesQuery) => project?.features;

/** The features of a project: searched, filtered and sorted. */
export const FeatureList = ({ project }: { project: ProjectDetails }) => {
  const { view, change } = useView(EMPTY_VIEW);
  const { text, state, stage, type, enabled, sort } = view;
  const { id } = project;
  const variables = useMemo(
    () => ({
      id,
      filter: filterOf({ text, state, stage, type, enabled }),
      orderBy: readSort(sort, SORTS),
      first: PAGE_SIZE,
    }),
    [id, text, state, stage, type, enabled, sort],
  );
  const pages = usePages(ProjectFeaturesDocument, variables, pageOf);
  const { total } = pages;
  const isFiltered = Object.entries(view).some(([key, value]) => key !== 'sort' && value !== '');
  const sorting = { sorts: SORTS, sort, onSort: (sort: string) => change({ sort }) };
  const types = project.health.countsByType.flatMap(({ type }) =>
    type === null ? [] : [{ id: type, label: type }],
  );
  const environments = project.environments.map(({ environmentName }) => ({
    id: environmentName,
    label: environmentName,
  }));

  return (
    <section className="list-screen" aria-labelledby="features-title">
      <header className="screen-header">
        <h2 id="features-title">Features</h2>
        <p className="total" role="status">
          {total === undefined ? '\u00a0' : countOf(total, 'feature')}
        </p>
        <ShowQuery document={ProjectFeaturesDocument} variables={variables} />
      </header>
      <search className="list-filters">
        <SearchBox
          label="Search features"
          placeholder="Name or description"
          value={text}
          onChange={(text) => change({ text })}
        />
        <SelectField
          label="State"
          value={state}
          options={STATES}
          onChange={(state) => change({ state })}
        />
        <SelectField
          label="Lifecycle stage"
          value={stage}
          options={STAGES}
          onChange={(stage) => change({ stage })}
        />
        <SelectField
          label="Type"
          value={type}
          options={[ALL, ...types]}
          onChange={(type) => change({ type })}
        />
        <SelectField
          label="Enabled in"
          value={enabled}
          options={[{ id: '', label: 'Any or none' }, ...environments]}
          onChange={(enabled) => change({ enabled })}
        />
        <SelectField
          label="Sort by"
          className="narrow-only"
          value={writeSort(readSort(sort, SORTS))}
          options={SORT_OPTIONS}
          onChange={(sort) => change({ sort })}
        />
        <Button
          className="button"
          isDisabled={!isFiltered}
          onPress={() => change({ ...EMPTY_VIEW, sort })}
        >
          Clear
        </Button>
      </search>
      <PagedTable
        pages={pages}
        what="the features"
        caption="Features of the project"
        empty={
          isFiltered
            ? 'No feature matches. Remove a filter to see more.'
            : 'The project has no features.'
        }
        head={
          <>
            <SortHeader label="Feature" field="NAME" {...sorting} />
            <SortHeader label="Type" field="TYPE" {...sorting} />
            <SortHeader label="State" field="STALE" {...sorting} />
            <th scope="col">Stage</th>
            <th scope="col">Environments</th>
            <SortHeader label="Last seen" field="LAST_SEEN_AT" {...sorting} />
            <SortHeader label="Created" field="CREATED_AT" {...sorting} />
          </>
        }
        row={(feature) => <FeatureRow key={feature.name} feature={feature} />}
      />
    </section>
  );
};
