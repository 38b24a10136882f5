import { MAX_LIST_LIMIT } from '../../domain/paging.js';
import type { ProjectCriteria } from '../../domain/projects/list-projects.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';
import { connectionTypes, listCost, pageArgs, parsePage } from '../connection.js';
import { chosenTexts, defined, nonNull, StringFilter } from './filters.js';
import { Project, ProjectMode } from './project.js';
import { ProjectOrder, projectKey, readProjectOrder } from './project-order.js';
import { ProjectPermissionEnum } from './project-permissions.js';

const ProjectFilter = builder.inputType('ProjectFilter', {
  description: 'Filters projects. All given conditions must match.',
  fields: (t) => ({
    id: t.field({ type: StringFilter, description: 'Project ID, such as `default`.' }),
    text: t.string({
      description:
        'Case-insensitive text to find in the ID, name or description. Matched literally, without wildcards. At most 500 characters.',
    }),
    archived: t.boolean({
      defaultValue: false,
      description:
        '`true`: only archived projects; `false`: only unarchived ones; `null`: both. Default: `false`.',
    }),
    mode: t.field({ type: ProjectMode, description: 'Collaboration mode.' }),
    favorite: t.boolean({ description: 'Whether the project is one of your favorites.' }),
    viewerCan: t.field({
      type: ProjectPermissionEnum,
      description:
        'Projects in which you have this permission, such as those you can clone into: `CREATE_FEATURE`.',
    }),
  }),
});

const readProjectFilter = (
  filter: typeof ProjectFilter.$inferInput | null | undefined,
): ProjectCriteria => ({
  ...chosenTexts({ ids: ['filter.id', filter?.id] }),
  ...defined({
    text: nonNull(filter?.text),
    archived: nonNull(filter ? filter.archived : false),
    mode: nonNull(filter?.mode),
    favorite: nonNull(filter?.favorite),
    viewerCan: nonNull(filter?.viewerCan),
  }),
});

const { Connection } = connectionTypes(Project, {
  name: 'Project',
  description: 'A page of projects.',
  edgeDescription: 'A project and its cursor.',
});

builder.queryFields((t) => ({
  project: t.field({
    type: Project,
    nullable: true,
    description: 'A project by ID, archived or not. Null if it does not exist.',
    args: {
      id: t.arg.string({ required: true, description: 'Project ID, such as `default`.' }),
    },
    resolve: (_root, { id }, { loaders }) => {
      assertText('The project id', id);
      return loaders.project.load(id);
    },
  }),
  projects: t.field({
    type: Connection,
    description: 'Projects.',
    complexity: listCost,
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      filter: t.arg({
        type: ProjectFilter,
        description: 'Projects to return; all unarchived projects if omitted.',
      }),
      orderBy: t.arg({
        type: ProjectOrder,
        description: 'Order of the projects. Default: by ID.',
      }),
    },
    resolve: async (_root, { filter, orderBy, ...args }, { actor, operations }) => {
      const criteria = readProjectFilter(filter);
      const { order, mark } = readProjectOrder(orderBy);
      const { page, toConnection } = parsePage(args, {
        key: projectKey(order),
        filter: mark.length > 0 ? [criteria, ...mark] : criteria,
        max: MAX_LIST_LIMIT,
      });
      return {
        ...toConnection(await operations.listProjects(actor, { criteria, order, page })),
        countTotal: (upTo?: number) => operations.countProjects(actor, { criteria, upTo }),
      };
    },
  }),
}));
