import { useMemo } from 'react';
import { usePages } from '../../api/use-pages.js';
import { ProjectListDocument, type ProjectListQuery } from '../../generated/documents.js';
import { countOf } from '../../ui/count.js';
import { PagedTable } from '../../ui/paged-table.js';
import { SearchBox } from '../../ui/search-box.js';
import { SelectField } from '../../ui/select-field.js';
import { ShowQuery } from '../../ui/show-query.js';
import { readSort, writeSort } from '../../ui/sort.js';
import { SortHeader } from '../../ui/sort-header.js';
import { useTitle } from '../../ui/use-title.js';
import { useView } from '../../ui/use-view.js';
import { EMPTY_VIEW, filterOf, SHOWN, SORTS, shownOf } from './project-list-view.js';
import { ProjectRow } from './project-row.js';
import '../../styles/projects.css';

const PAGE_SIZE = 100;
const SORT_OPTIONS = [
  { id: 'health', label: 'Lowest health first' },
  { id: '-health', label: 'Highest health first' },
  { id: 'name', label: 'Name' },
  { id: '-created-at', label: 'Newest first' },
];

const NUMBERS = ['Features', 'Active', 'Stale', 'Potentially stale', 'Members'];

const pageOf = ({ projects }: ProjectListQuery) => projects;

/** All visible projects with their health. */
const ProjectsScreen = () => {
  useTitle('Projects');
  const { view, change } = useView(EMPTY_VIEW);
  const { text, sort } = view;
  const show = shownOf(view.show);
  const variables = useMemo(
    () => ({
      filter: filterOf({ text, show }),
      orderBy: readSort(sort, SORTS),
      first: PAGE_SIZE,
    }),
    [text, show, sort],
  );
  const pages = usePages(ProjectListDocument, variables, pageOf);
  const { total } = pages;
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
      <PagedTable
        pages={pages}
        what="the projects"
        caption="Projects with their health, features, members and activity"
        empty={
          text === '' && show === ''
            ? 'No project is visible to you. Ask an owner of a project to add you.'
            : 'No project matches. Change the search, or show other projects.'
        }
        head={
          <>
            <SortHeader label="Project" field="NAME" {...sorting} />
            <SortHeader label="Health" field="HEALTH" {...sorting} />
            <th scope="col">Technical debt</th>
            {NUMBERS.map((label) => (
              <th key={label} scope="col" className="number">
                {label}
              </th>
            ))}
            <th scope="col">Last 30 days</th>
          </>
        }
        row={(project) => <ProjectRow key={project.id} project={project} />}
      />
    </section>
  );
};

export default ProjectsScreen;
