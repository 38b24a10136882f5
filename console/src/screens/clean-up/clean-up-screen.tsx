import { useMemo } from 'react';
import { Button } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { usePages } from '../../api/use-pages.js';
import {
  CleanUpCountsDocument,
  CleanUpListDocument,
  type CleanUpListQuery,
} from '../../generated/documents.js';
import { countOf } from '../../ui/count.js';
import { PagedTable } from '../../ui/paged-table.js';
import { SearchBox } from '../../ui/search-box.js';
import { SelectField } from '../../ui/select-field.js';
import { ShowQuery } from '../../ui/show-query.js';
import { readSort, writeSort } from '../../ui/sort.js';
import { SortHeader } from '../../ui/sort-header.js';
import { useTitle } from '../../ui/use-title.js';
import { useView } from '../../ui/use-view.js';
import { CleanUpRow } from './clean-up-row.js';
import {
  DEFAULT_DAYS,
  EMPTY_VIEW,
  filterOf,
  parseDays,
  readReasons,
  SORT_OPTIONS,
  SORTS,
  WEIGHT_SENTENCE,
  writeReasons,
} from './clean-up-view.js';
import { DaysField } from './days-field.js';
import { ProjectChoice } from './project-choice.js';
import { ReasonFilter } from './reason-filter.js';
import '../../styles/projects.css';

const PAGE_SIZE = 50;

const pageOf = ({ cleanUp }: CleanUpListQuery) => cleanUp;

/** What to remove first, and why. */
const CleanUpScreen = () => {
  useTitle('Clean-up');
  const { view, change } = useView(EMPTY_VIEW);
  const { text, project, reasons, days, sort } = view;
  const notSeenForDays = parseDays(days) ?? DEFAULT_DAYS;
  const variables = useMemo(
    () => ({
      filter: filterOf({ text, project, reasons }),
      notSeenForDays,
      orderBy: readSort(sort, SORTS),
      first: PAGE_SIZE,
    }),
    [text, project, reasons, notSeenForDays, sort],
  );
  /** The buttons count what choosing them would show, so they ignore which are chosen. */
  const unchosen = useMemo(
    () => ({ filter: filterOf({ text, project, reasons: '' }), notSeenForDays }),
    [text, project, notSeenForDays],
  );
  const counts = useDocument(CleanUpCountsDocument, unchosen);
  const pages = usePages(CleanUpListDocument, variables, pageOf);
  const { total } = pages;
  const isFiltered = text !== '' || project !== '' || reasons !== '';
  const sorting = { sorts: SORTS, sort, onSort: (sort: string) => change({ sort }) };

  return (
    <section className="list-screen" aria-labelledby="clean-up-title">
      <header className="screen-header">
        <h1 id="clean-up-title">Clean-up</h1>
        <p className="total" role="status">
          {total === undefined ? '\u00a0' : `${countOf(total, 'feature')} to check`}
        </p>
        <span className="end">
          <ShowQuery document={CleanUpListDocument} variables={variables} />
        </span>
        <p className="lead">
          Features that can probably be removed, most important first, and why.
        </p>
      </header>
      <ReasonFilter
        counts={counts.data?.cleanUp.counts}
        chosen={readReasons(reasons)}
        onChange={(kinds) => change({ reasons: writeReasons(kinds) })}
        query={<ShowQuery document={CleanUpCountsDocument} variables={unchosen} />}
      />
      <search className="list-filters">
        <SearchBox
          label="Search"
          placeholder="Feature name"
          value={text}
          onChange={(text) => change({ text })}
        />
        <ProjectChoice
          value={project}
          notSeenForDays={notSeenForDays}
          onChange={(project) => change({ project })}
        />
        <DaysField value={days} onChange={(days) => change({ days })} />
        <SelectField
          label="Sort by"
          value={writeSort(readSort(sort, SORTS))}
          options={SORT_OPTIONS}
          onChange={(sort) => change({ sort })}
        />
        <Button
          className="button"
          isDisabled={!isFiltered && days === ''}
          onPress={() => change({ ...EMPTY_VIEW, sort })}
        >
          Clear
        </Button>
      </search>
      <PagedTable
        pages={pages}
        what="the features to clean up"
        caption="Features to clean up, with the reasons"
        empty={
          isFiltered
            ? 'Nothing needs to be cleaned up here. Remove a filter to see more.'
            : 'Nothing needs to be cleaned up.'
        }
        note={WEIGHT_SENTENCE}
        className="rows clean-up"
        head={
          <>
            <SortHeader label="Feature" field="NAME" {...sorting} />
            <th scope="col">Project</th>
            <th scope="col">Why</th>
            <th scope="col">Type</th>
            <SortHeader label="Created" field="AGE" {...sorting} />
            <SortHeader label="Weight" field="WEIGHT" {...sorting} />
          </>
        }
        row={(row) => <CleanUpRow key={row.feature.name} row={row} />}
      />
    </section>
  );
};

export default CleanUpScreen;
