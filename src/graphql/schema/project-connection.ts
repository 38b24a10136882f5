import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import type { ProjectCriteria } from '../../domain/projects/list-projects.js';
import type { Project as ProjectRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { type CursorKey, connectionTypes, pageCost, readPage } from '../connection.js';
import { chosenValues, defined, nonNull, StringFilter } from './filters.js';
import { Project, ProjectMode } from './project.js';

const ProjectFilter = builder.inputType('ProjectFilter', {
  description: 'Which projects to show; all conditions that are given must hold.',
  fields: (t) => ({
    id: t.field({ type: StringFilter, description: 'Id of the project, such as `default`.' }),
    text: t.string({
      description:
        'Found, in any letter case, in the id, the name or the description. Every character means itself.',
    }),
    archived: t.boolean({
      defaultValue: false,
      description: 'true: only archived ones; false: none of them; null: both. Default false.',
    }),
    mode: t.field({ type: ProjectMode, description: 'Who may take part.' }),
    favorite: t.boolean({ description: 'Whether you marked it as a favorite.' }),
  }),
});

const readProjectFilter = (
  filter: typeof ProjectFilter.$inferInput | null | undefined,
): ProjectCriteria => ({
  ...chosenValues('ids', 'filter.id', filter?.id),
  ...defined({
    text: nonNull(filter?.text),
    archived: nonNull(filter ? filter.archived : false),
    mode: nonNull(filter?.mode),
    favorite: nonNull(filter?.favorite),
  }),
});

const PROJECT_KEY: CursorKey<ProjectRow, string> = {
  kind: 'projects',
  keyOf: (project) => project.id,
  parse: (text) => text,
};

const { Connection, Edge } = connectionTypes(Project, {
  name: 'Project',
  description: 'A page of projects, by id.',
  edgeDescription: 'A project and its place in the list.',
});

builder.queryFields((t) => ({
  project: t.field({
    type: Project,
    nullable: true,
    description: 'One project by its id, archived or not; null when there is none.',
    args: {
      id: t.arg.string({ required: true, description: 'Id of the project, such as `default`.' }),
    },
    resolve: (_root, { id }, { actor, operations }) => operations.findProject(actor, id),
  }),
  projects: t.connection(
    {
      type: Project,
      description: 'Projects, by id.',
      complexity: pageCost,
      args: {
        filter: t.arg({
          type: ProjectFilter,
          description: 'Which projects; all unarchived ones when left out.',
        }),
      },
      resolve: async (_root, { filter, ...args }, { actor, operations }) => {
        const criteria = readProjectFilter(filter);
        const { page, toConnection } = readPage(args, {
          key: PROJECT_KEY,
          filter: criteria,
          most: MAX_LIST_LIMIT,
        });
        return {
          ...toConnection(await operations.listProjects(actor, { criteria, page })),
          countTotal: (upTo?: number) => operations.countProjects(actor, { criteria, upTo }),
        };
      },
    },
    Connection,
    Edge,
  ),
}));
