import { useMemo } from 'react';
import { usePages } from '../../api/use-pages.js';
import { ProjectListDocument, type ProjectListQuery } from '../../generated/documents.js';
import { countOf } from '../../ui/count.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { SearchBox } from '../../ui/search-box.js';
import { SelectField } from '../../ui/select-field.js';
import { ShowMore } from '../../ui/show-more.js';
import { ShowQuery } from '../../ui/show-query.js';
import { readSort, writeSort } from '../../ui/sort.js';
import { SortHeader } from '../../ui/sort-header.js';
import { useRowKeys } from '../../ui/use-row-keys.js';
import { useTitle } from '../../ui/use-title.js';
import { useView } from '../../ui/use-view.js';
import { EMPTY_VIEW, filterOf, SHOWN, SORTS } from './project-list-view.js';
import { ProjectRow } from './project-row.js';
import '../../styles/projects.css';

const PAGE_SIZE = 100;
const SORT_OPTIONS = [
  { id: 'health', label: 'Lowest health first' },
  { id: '-health', label: 'Highest health first' },
  { id: 'name', label: 'Name' },
  { id: '-created-at', label: 'Newest first' },
];

const pageOf = ({ projects }: ProjectListQuery) => projects;

/** All visible projects with their health. */
const ProjectsScreen = () => {
  useTitle('Projects');
  const { view, change } = useView(EMPTY_VIEW);
  const { text, show, sort } = view;
  const variables = useMemo(
    () => ({
      filter: filterOf({ text, show }),
      orderBy: readSort(sort, SORTS),
      first: PAGE_SIZE,
    }),
    [text, show, sort],
  );
  const pages = usePages(ProjectListDocument, variables, pageOf);
  const { rows, total, isLoading, problem, reload, loadMore } = pages;
  const container = useRowKeys<HTMLDivElement>();
  const sorting = { sorts: SORTS, sort, onSort: (sort: string) => change({ sort }) };

  return (
    <section className="list-screen" aria-labelledby="projects-title">
      <header className="screen-header">
        <h1 id="projects-title">Projects</h1>
        <p className="total" role="status">
          {total === undefined ? '\u00a0' : countOf(total, 'project')}
        </p>
        <span className="end">
          <ShowQuery document={ProjectListDocument} variables={variables} />
        </span>
        <p className="lead">
          How healthy each project is: features that are stale, and what is happening.
        </p>
      </header>
      <search className="list-filters">
        <SearchBox
          label="Search"
          placeholder="ID, name or description"
          value={text}
          onChange={(text) => change({ text })}
        />
        <SelectField
          label="Show"
          value={show}
          options={SHOWN}
          onChange={(show) => change({ show })}
        />
        <SelectField
          label="Sort by"
          className="narrow-only"
          value={writeSort(readSort(sort, SORTS))}
          options={SORT_OPTIONS}
          onChange={(sort) => change({ sort })}
        />
      </search>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {total === undefined && !problem ? <Loading what="the projects" rows={8} /> : null}
      {total === 0 ? (
        <p className="notice">
          {text === '' && show === ''
            ? 'No project is visible to you. Ask an owner of a project to add you.'
            : 'No project matches. Change the search to see more.'}
        </p>
      ) : null}
      {rows.length === 0 ? null : (
        <div ref={container} aria-busy={isLoading}>
          <table className="rows">
            <caption className="hidden">
              Projects with their health, features, members and activity
            </caption>
            <thead>
              <tr>
                <SortHeader label="Project" field="NAME" {...sorting} />
                <SortHeader label="Health" field="HEALTH" {...sorting} />
                <th scope="col">Technical debt</th>
                <th scope="col" className="number">
                  Features
                </th>
                <th scope="col" className="number">
                  Active
                </th>
                <th scope="col" className="number">
                  Stale
                </th>
                <th scope="col" className="number">
                  Potentially stale
                </th>
                <th scope="col" className="number">
                  Members
                </th>
                <th scope="col">Last 30 days</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((project) => (
                <ProjectRow key={project.id} project={project} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <ShowMore pages={pages} onMore={loadMore} />
    </section>
  );
};

export default ProjectsScreen;
