import { MAX_EVENTS_LIMIT, MAX_LIST_LIMIT } from '../../domain/paging.js';
import { type Person, personOf } from '../../domain/users/person.js';
import { builder } from '../builder.js';
import { type CursorKey, connectionTypes, pageArgs, parsePage, searchCost } from '../connection.js';
import { EventConnection, eventsOf, filterArg } from './event-connection.js';
import { nonNull } from './filters.js';
import { searchArg, searchListCost } from './search-arg.js';
import { User } from './user.js';

const USER_KEY: CursorKey<Person, number> = {
  kind: 'users',
  keyOf: (user) => user.id,
  parse: (text) =>
    /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31 ? Number(text) : null,
};

const { Connection } = connectionTypes(User, {
  name: 'User',
  description: 'A page of users, ordered by ID.',
  edgeDescription: 'A user and its cursor.',
});

builder.queryField('users', (t) =>
  t.field({
    type: Connection,
    description:
      'Users, ordered by ID, without service accounts and deleted users. Users that are known only by an email address are listed only for callers with ADMIN.',
    complexity: searchListCost,
    args: {
      ...pageArgs(t, MAX_LIST_LIMIT),
      search: t.arg(
        searchArg('the name, with ADMIN also in the username and email address', 'ada'),
      ),
    },
    resolve: async (_root, { search, ...args }, { actor, operations }) => {
      const query = { search: nonNull(search) };
      const { page, toConnection } = parsePage(args, {
        key: USER_KEY,
        filter: query,
        max: MAX_LIST_LIMIT,
      });
      const { rows, hasMore } = await operations.listUsers(actor, { ...query, page });
      return {
        ...toConnection({ rows: rows.map(personOf), hasMore }),
        countTotal: (upTo?: number) => operations.countUsers(actor, { ...query, upTo }),
      };
    },
  }),
);

builder.objectFields(User, (t) => ({
  events: t.field({
    type: EventConnection,
    description: 'Events caused by this user that are visible to you, newest first.',
    complexity: searchCost,
    args: { ...pageArgs(t, MAX_EVENTS_LIMIT), filter: t.arg(filterArg) },
    resolve: ({ id }, args, context, info) => eventsOf('user', String(id), args, context, info),
  }),
}));
