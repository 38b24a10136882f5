import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import {
  describeDemoOnBothDatabases,
  type Gateway,
  type GraphqlResult,
  type RestResult,
  startGateway,
} from '../testkit/app.js';
import { cloneBy, TRANSPORTS } from '../testkit/clones.js';

const TOKENS: Readonly<Record<string, string | null>> = {
  ...DEMO_TOKENS,
  'no token': null,
  'an empty header': '',
  'a blank header': '   ',
  'only a scheme': 'Bearer ',
  garbage: 'garbage',
  'an unknown personal token': 'user:nobody',
  'another letter case': DEMO_TOKENS.admin.toUpperCase(),
  'another scheme': `Token ${DEMO_TOKENS.admin}`,
  'a scheme without a blank': `Bearer${DEMO_TOKENS.admin}`,
  'a scheme and the admin token': `Bearer ${DEMO_TOKENS.admin}`,
  'a scheme in capitals and a personal token': `BEARER  ${DEMO_TOKENS.rootAdmin}`,
};

/** Lines of words in columns of at least two blanks, by the first word of each line. */
const readTable = (table: string): [caller: string, cells: Record<string, string>][] => {
  const [head = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  return rows.map(([caller = '', ...cells]) => [
    caller,
    Object.fromEntries(cells.map((cell, index) => [head[index + 1] ?? '', cell])),
  ]);
};

const REFUSED = ['AuthenticationRequired', 'NoAccessError'];

// Events: `all`, those `of projects`, or the error. Deliveries: `yes` or the error.
const READS = readTable(`
  caller                  events                  report                  deliveries
  admin                   all                     yes                     yes
  a scheme and the admin token  all               yes                     yes
  rootAdmin               all                     yes                     yes
  a scheme in capitals and a personal token  all  yes                     yes
  serviceAccount          all                     yes                     yes
  groupAdmin              of projects             yes                     yes
  unknownType             all                     yes                     NoAccessError
  editor                  of projects             yes                     NoAccessError
  viewer                  of projects             yes                     NoAccessError
  owner                   of projects             yes                     NoAccessError
  member                  of projects             yes                     NoAccessError
  groupMember             of projects             yes                     NoAccessError
  customRoot              of projects             yes                     NoAccessError
  wildcard                of projects             yes                     NoAccessError
  approver                of projects             yes                     NoAccessError
  noRole                  of projects             yes                     NoAccessError
  client                  NoAccessError           NoAccessError           NoAccessError
  frontend                NoAccessError           NoAccessError           NoAccessError
  expiredAdmin            AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  expired                 AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  deletedUser             AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  no token                AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  an empty header         AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  a blank header          AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  only a scheme           AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  garbage                 AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  an unknown personal token  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  another letter case     AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  another scheme          AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  a scheme without a blank  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
`);

// Project payments takes changes through change requests only, and nowhere does not exist: whoever may create
// features there is refused for that reason, everybody else for want of the permission.
const CLONES = readTable(`
  caller          default        web-shop       mobile         lab            payments        nowhere
  admin           ok             ok             ok             ok             ForbiddenError  NotFoundError
  rootAdmin       ok             ok             ok             ok             ForbiddenError  NotFoundError
  serviceAccount  ok             ok             ok             ok             ForbiddenError  NotFoundError
  groupAdmin      ok             ok             ok             ok             ForbiddenError  NotFoundError
  wildcard        ok             ok             ok             ok             ForbiddenError  NotFoundError
  editor          ok             NoAccessError  NoAccessError  NoAccessError  NoAccessError   NoAccessError
  customRoot      ok             NoAccessError  NoAccessError  NoAccessError  NoAccessError   NoAccessError
  groupMember     ok             NoAccessError  ok             NoAccessError  NoAccessError   NoAccessError
  owner           NoAccessError  ok             NoAccessError  NoAccessError  ForbiddenError  NoAccessError
  member          NoAccessError  ok             ok             NoAccessError  NoAccessError   NoAccessError
  approver        NoAccessError  NoAccessError  NoAccessError  ok             NoAccessError   NoAccessError
  viewer          NoAccessError  NoAccessError  NoAccessError  NoAccessError  NoAccessError   NoAccessError
  noRole          NoAccessError  NoAccessError  NoAccessError  NoAccessError  NoAccessError   NoAccessError
  unknownType     NoAccessError  NoAccessError  NoAccessError  NoAccessError  NoAccessError   NoAccessError
  client          NoAccessError  NoAccessError  NoAccessError  NoAccessError  NoAccessError   NoAccessError
  frontend        NoAccessError  NoAccessError  NoAccessError  NoAccessError  NoAccessError   NoAccessError
  expired         AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  expiredAdmin    AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  deletedUser     AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
  no token        AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired  AuthenticationRequired
`);

const STATUS: Readonly<Record<string, number>> = {
  AuthenticationRequired: 401,
  NoAccessError: 403,
};
const CODE: Readonly<Record<string, string>> = {
  AuthenticationRequired: 'UNAUTHENTICATED',
  NoAccessError: 'FORBIDDEN',
};

/** What both transports answer to one reading operation: a value, or the name of the error. */
const readBoth = async (
  gateway: Gateway,
  token: string | null,
  rest: { path: string; value: (body: RestResult['body']) => unknown },
  graphql: { query: string; value: (data: GraphqlResult['data']) => unknown },
) => {
  const one = await gateway.rest(rest.path, { token });
  const other = await gateway.graphql(graphql.query, {}, { token });
  const error = other.errors?.[0];
  if (one.status !== 200) {
    expect(one.status).toBe(STATUS[one.body.name]);
    expect(one.body.id).toMatch(/^[0-9a-f-]{36}$/);
  }
  if (error) {
    expect(other.status).toBe(STATUS[error.extensions.name]);
    expect(error.extensions.code).toBe(CODE[error.extensions.name]);
    expect(error.extensions.id).toMatch(/^[0-9a-f-]{36}$/);
  }
  return [
    one.status === 200 ? rest.value(one.body) : one.body.name,
    error ? error.extensions.name : graphql.value(other.data),
  ];
};

describeDemoOnBothDatabases('access', ({ gateway, database }) => {
  let total = 0;
  let ofProjects = 0;
  /** An event of no project that names a feature all the same. */
  let hidden = 0;

  beforeAll(async () => {
    const { client } = database();
    const event = await client.event.create({
      data: {
        type: 'feature-updated',
        createdBy: 'ada',
        featureName: 'welcome-tour',
        ip: '192.0.2.1',
      },
    });
    hidden = event.id;
    await client.integrationEvent.create({
      data: {
        integrationId: 1,
        state: 'success',
        stateDetails: 'delivered',
        event: { id: hidden, type: 'feature-updated', createdBy: 'ada' },
        details: {},
      },
    });
    total = await client.event.count();
    ofProjects = await client.event.count({ where: { projectId: { not: null } } });
  });

  describe.each(READS)('%s', (caller, { events, report, deliveries }) => {
    const token = TOKENS[caller] ?? null;

    test(`finds events: ${events}`, async () => {
      const expected = { all: total, 'of projects': ofProjects }[events ?? ''] ?? events;
      expect(
        await readBoth(
          gateway(),
          token,
          { path: '/api/admin/search/events?limit=1', value: (body) => body.total },
          {
            query: '{ events(first: 1) { totalCount } }',
            value: (data) => data.events.totalCount,
          },
        ),
      ).toEqual([expected, expected]);
    });

    test(`reads the health report of a private project: ${report}`, async () => {
      expect(
        await readBoth(
          gateway(),
          token,
          {
            path: '/api/admin/projects/payments/health-report',
            value: (body) => (body.version === 1 ? 'yes' : 'no'),
          },
          {
            query: '{ projectHealthReport(projectId: "payments") { version } }',
            value: (data) => (data.projectHealthReport.version === 1 ? 'yes' : 'no'),
          },
        ),
      ).toEqual([report, report]);
    });

    test(`lists deliveries: ${deliveries}`, async () => {
      expect(
        await readBoth(
          gateway(),
          token,
          {
            path: '/api/admin/addons/1/events?limit=1',
            value: (body) => (body.integrationEvents.length === 1 ? 'yes' : 'no'),
          },
          {
            query: '{ integrationEvents(integrationId: 1, first: 1) { nodes { id } } }',
            value: (data) => (data.integrationEvents.nodes.length === 1 ? 'yes' : 'no'),
          },
        ),
      ).toEqual([deliveries, deliveries]);

      for (const query of [
        '{ integrations { id } }',
        '{ integration(id: 1) { events { totalCount } } }',
      ]) {
        const { data, errors } = await gateway().graphql(query, {}, { token });
        expect(errors?.[0].extensions.name ?? 'yes').toBe(deliveries);
        if (errors) expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
      }
    });
  });

  describe.each(TRANSPORTS)('clone over %s', (transport) => {
    test.each(CLONES)('by %s', async (caller, verdicts) => {
      const { client } = database();
      const before = await client.feature.count();
      for (const [into, verdict] of Object.entries(verdicts)) {
        const slug = `${caller}-${transport}-${into}`.toLowerCase().replaceAll(' ', '-');
        const order = { feature: 'welcome-tour', name: `mobile.${slug}`, into };
        const outcome = await cloneBy(transport, gateway(), order, {
          token: TOKENS[caller] ?? null,
        });

        expect([into, outcome.verdict]).toEqual([into, verdict]);
        expect(outcome.project).toBe(verdict === 'ok' ? into : null);
        if (REFUSED.includes(verdict)) expect(outcome.status).toBe(STATUS[verdict]);
        if (verdict === 'NoAccessError' && !['client', 'frontend'].includes(caller)) {
          expect(outcome.message).toBe(`You need CREATE_FEATURE in project '${into}'.`);
          expect(outcome.permissions).toEqual(['CREATE_FEATURE']);
        }
      }
      const allowed = Object.values(verdicts).filter((verdict) => verdict === 'ok');
      expect(await client.feature.count()).toBe(before + allowed.length);
    });
  });

  test('a clone without a target needs the permission in the project of its source', async () => {
    const mutation = `mutation ($name: String!) {
      cloneFeature(input: { feature: "welcome-tour", name: $name }) { __typename }
    }`;
    const refused = await gateway().graphql(
      mutation,
      { name: 'own-project-1' },
      { token: DEMO_TOKENS.member },
    );
    expect(refused.errors?.[0].message).toBe("You need CREATE_FEATURE in project 'default'.");
    const done = await gateway().graphql(
      mutation,
      { name: 'own-project-2' },
      { token: DEMO_TOKENS.editor },
    );
    expect(done.data.cloneFeature.__typename).toBe('CloneFeaturePayload');
  });

  test('the refusal of a delivery list names the permission and what helps, in both transports', async () => {
    const token = DEMO_TOKENS.editor;
    const { body } = await gateway().rest('/api/admin/addons/1/events', { token });
    const message = 'You need ADMIN to see integrations and their deliveries: use an admin token.';
    expect(body).toMatchObject({ message, permissions: ['ADMIN'] });
    const { errors } = await gateway().graphql('{ integrations { id } }', {}, { token });
    expect(errors?.[0]).toMatchObject({
      message,
      extensions: { permissions: ['ADMIN'] },
    });
  });

  test('a client token is told which kinds of token are let in, in the shape of every error', async () => {
    for (const token of [DEMO_TOKENS.client, DEMO_TOKENS.frontend]) {
      const { status, body } = await gateway().rest('/api/admin/search/events', { token });
      expect([status, body.name]).toEqual([403, 'NoAccessError']);
      expect(body.message).toMatch(/admin token or a personal token/);
      expect(body.details).toEqual([{ message: body.message }]);
      expect(body.permissions).toEqual(['ADMIN']);
    }
  });

  test('a caller without a token is told where people log in, one with a worthless token is not', async () => {
    const without = await gateway().rest('/api/admin/search/events', { token: null });
    expect(without.body).toMatchObject({
      path: '/auth/simple/login',
      type: 'password',
      defaultHidden: false,
    });
    const worthless = await gateway().rest('/api/admin/search/events', { token: 'garbage' });
    for (const { headers } of [without, worthless]) {
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(Object.keys(worthless.body)).toEqual(['id', 'name', 'message', 'details']);
  });

  test('without a token nobody learns what exists', async () => {
    const paths = [
      'projects/nowhere/health-report',
      'projects/default/health-report',
      'nothing',
      'addons/abc/events',
    ];
    for (const path of paths) {
      const { status, body } = await gateway().rest(`/api/admin/${path}`, { token: null });
      expect([path, status, body.name]).toEqual([path, 401, 'AuthenticationRequired']);
    }
  });

  describe('an event of no project', () => {
    const QUERY = `query ($id: Int!) {
      event(id: $id) { id ip }
      events(filter: { id: { is: $id } }) { totalCount nodes { id } }
      feature(name: "welcome-tour") {
        events(first: 1000) { totalCount nodes { id } }
        matching: events(filter: { id: { is: $id } }) { totalCount nodes { id } }
      }
      features(filter: { name: { is: "welcome-tour" } }) {
        nodes { project { features(filter: { name: { is: "welcome-tour" } }) {
          nodes { events(first: 1) { nodes { id } } }
        } } }
      }
    }`;

    test.each(['admin', 'rootAdmin', 'serviceAccount', 'unknownType'] as const)(
      'is shown to %s on every path',
      async (caller) => {
        const token = DEMO_TOKENS[caller];
        const { data, errors } = await gateway().graphql(QUERY, { id: hidden }, { token });
        expect(errors).toBeUndefined();
        expect(data.event.id).toBe(hidden);
        expect(data.events).toEqual({ totalCount: 1, nodes: [{ id: hidden }] });
        expect(data.feature.events.nodes[0].id).toBe(hidden);
        expect(data.feature.matching.totalCount).toBe(1);
        const { project } = data.features.nodes[0];
        expect(project.features.nodes[0].events.nodes[0].id).toBe(hidden);
        const { body } = await gateway().rest('/api/admin/search/events?feature=IS:welcome-tour', {
          token,
        });
        expect(body.events[0].id).toBe(hidden);
        expect(body.total).toBe(data.feature.events.totalCount);
      },
    );

    test.each(['groupAdmin', 'editor', 'viewer', 'noRole', 'wildcard'] as const)(
      'is hidden from %s on every path',
      async (caller) => {
        const token = DEMO_TOKENS[caller];
        const { data, errors } = await gateway().graphql(QUERY, { id: hidden }, { token });
        expect(errors).toBeUndefined();
        expect(data.event).toBeNull();
        expect(data.events).toEqual({ totalCount: 0, nodes: [] });
        expect(data.feature.matching).toEqual({ totalCount: 0, nodes: [] });
        const ids = data.feature.events.nodes.map(({ id }: { id: number }) => id);
        expect(ids).not.toContain(hidden);
        expect(data.feature.events.totalCount).toBe(ids.length);
        const { project } = data.features.nodes[0];
        expect(project.features.nodes[0].events.nodes[0].id).not.toBe(hidden);
        const { body } = await gateway().rest('/api/admin/search/events?feature=IS:welcome-tour', {
          token,
        });
        expect(body.total).toBe(ids.length);
      },
    );

    test('is not reached through its delivery by an administrator who does not see it', async () => {
      const query = `{ integration(id: 1) { events(first: 1) { nodes {
        event { id stored { id summary } } integration { events(first: 1) { nodes { event { stored { id } } } } }
      } } } }`;
      const stored = async (token: string) => {
        const { data, errors } = await gateway().graphql(query, {}, { token });
        expect(errors).toBeUndefined();
        const [delivery] = data.integration.events.nodes;
        const [nested] = delivery.integration.events.nodes;
        return [delivery.event?.stored.id ?? null, nested.event?.stored.id ?? null];
      };
      expect(await stored(DEMO_TOKENS.rootAdmin)).toEqual([hidden, hidden]);
      expect(await stored(DEMO_TOKENS.groupAdmin)).toEqual([null, null]);
    });
  });

  test('the address behind an event is for administrators only', async () => {
    const { client } = database();
    const { id } = await client.event.create({
      data: { type: 'feature-updated', createdBy: 'ada', projectId: 'default', ip: '192.0.2.77' },
    });
    const ipFor = async (caller: keyof typeof DEMO_TOKENS) => {
      const token = DEMO_TOKENS[caller];
      const { data } = await gateway().graphql(`{ event(id: ${id}) { ip } }`, {}, { token });
      return data.event.ip;
    };
    expect(await ipFor('admin')).toBe('192.0.2.77');
    expect(await ipFor('groupAdmin')).toBe('192.0.2.77');
    expect(await ipFor('editor')).toBeNull();
    expect(await ipFor('unknownType')).toBeNull();
    await client.event.delete({ where: { id } });
  });

  test('viewer tells who calls and what he may do', async () => {
    const query = `{ viewer { kind userId name author isAdmin seesAllEvents
      here: can(permission: "CREATE_FEATURE", project: "default")
      there: can(permission: "CREATE_FEATURE", project: "web-shop")
      anywhere: can(permission: "CREATE_FEATURE") } }`;
    const viewer = async (caller: keyof typeof DEMO_TOKENS) =>
      (await gateway().graphql(query, {}, { token: DEMO_TOKENS[caller] })).data.viewer;
    const nothing = { isAdmin: false, here: false, there: false, anywhere: false };
    const everything = { isAdmin: true, here: true, there: true, anywhere: true };

    expect(await viewer('admin')).toEqual({
      kind: 'ADMIN_TOKEN',
      userId: -42,
      name: 'demo-admin',
      author: 'demo-admin',
      seesAllEvents: true,
      ...everything,
    });
    expect(await viewer('unknownType')).toMatchObject({
      kind: 'OTHER_TOKEN',
      seesAllEvents: true,
      ...nothing,
    });
    expect(await viewer('serviceAccount')).toMatchObject({
      kind: 'SERVICE_ACCOUNT',
      userId: 9,
      author: 'deploy-robot',
      ...everything,
    });
    expect(await viewer('groupAdmin')).toMatchObject({
      kind: 'USER',
      author: 'greta.lindqvist@harbour-pine.example',
      seesAllEvents: false,
      ...everything,
    });
    expect(await viewer('editor')).toMatchObject({ ...nothing, here: true });
    expect(await viewer('wildcard')).toMatchObject({ ...everything, isAdmin: false });
    expect(await viewer('noRole')).toMatchObject({ seesAllEvents: false, ...nothing });
  });

  describe('tokens made by hand', () => {
    const totalFor = async (token: string) => {
      const { status, body } = await gateway().rest('/api/admin/search/events?limit=1', { token });
      return status === 200 ? body.total : body.name;
    };
    const deliveriesFor = async (token: string) =>
      (await gateway().rest('/api/admin/addons/1/events', { token })).status;

    test('work at once, and stop working at once', async () => {
      const { client } = database();
      const secret = 'legacy-token-without-a-colon';
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
      await client.apiToken.create({ data: { secret, username: 'x', type: 'ADMIN' } });
      expect(await totalFor(secret)).not.toBe('AuthenticationRequired');
      expect(await deliveriesFor(secret)).toBe(200);
      await client.apiToken.delete({ where: { secret } });
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
    });

    test('of type admin open everything, whatever project and environment they name', async () => {
      const { client } = database();
      const secret = 'lab:development.narrow';
      await client.apiToken.create({
        data: {
          secret,
          alias: 'nickname',
          username: 'x',
          type: 'admin',
          environment: 'development',
        },
      });
      await client.apiTokenProject.create({ data: { secret, projectId: 'lab' } });
      expect(await deliveriesFor(secret)).toBe(200);
      expect(await deliveriesFor('nickname')).toBe(200);
      const order = { feature: 'welcome-tour', name: 'by-narrow-token', into: 'web-shop' };
      expect((await cloneBy('REST', gateway(), order, { token: secret })).verdict).toBe('ok');
    });

    test('of a technical user are worthless', async () => {
      const { client } = database();
      const expiresAt = new Date('2099-01-01T00:00:00Z');
      const secret = 'user:of-the-system';
      await client.personalAccessToken.create({ data: { secret, userId: -1337, expiresAt } });
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
    });

    test('end with the second they expire and with the person they belong to', async () => {
      const { client } = database();
      const secret = 'user:of-nobody-yet';
      const [past, future] = [new Date('2020-01-01T00:00:00Z'), new Date('2099-01-01T00:00:00Z')];
      await client.user.create({ data: { id: 900, username: 'short-stay' } });
      const { id } = await client.personalAccessToken.create({
        data: { secret, userId: 900, expiresAt: future },
      });
      expect(await totalFor(secret)).not.toBe('AuthenticationRequired');
      await client.personalAccessToken.update({ where: { id }, data: { expiresAt: past } });
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
      await client.personalAccessToken.update({ where: { id }, data: { expiresAt: future } });
      await client.user.update({ where: { id: 900 }, data: { deletedAt: past } });
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
    });

    test('whoever holds a role called admin, in any letter case and project, sees all events and no more', async () => {
      const { client } = database();
      await client.user.create({ data: { id: 901, username: 'named-admin' } });
      const role = await client.role.create({ data: { name: 'aDmIn' } });
      await client.roleUser.create({ data: { userId: 901, roleId: role.id, projectId: 'lab' } });
      const secret = 'user:named-admin';
      await client.personalAccessToken.create({
        data: { secret, userId: 901, expiresAt: new Date('2099-01-01T00:00:00Z') },
      });
      expect(await totalFor(secret)).toBe(await client.event.count());
      expect(await deliveriesFor(secret)).toBe(403);
      expect(await totalFor(DEMO_TOKENS.viewer)).toBe(
        await client.event.count({ where: { projectId: { not: null } } }),
      );
    });
  });

  describe('introspection', () => {
    const INTROSPECTION =
      '{ __schema { queryType { name } } __type(name: "Event") { name } __typename }';

    test('needs no token during development, and everything beside it does', async () => {
      const open = await gateway().graphql(INTROSPECTION, {}, { token: null });
      expect(open.data.__schema.queryType.name).toBe('Query');
      const queries = [
        '{ __schema { queryType { name } } viewer { name } }',
        'query { __typename ...more } fragment more on Query { projects { totalCount } }',
        '{ __typename ... on Query { feature(name: "welcome-tour") { name } } }',
        'mutation { cloneFeature(input: { feature: "welcome-tour", name: "anonymous" }) { __typename } }',
      ];
      for (const query of queries) {
        const { status, data, errors } = await gateway().graphql(query, {}, { token: null });
        expect([status, data ?? null]).toEqual([401, null]);
        expect(errors?.[0].extensions.code).toBe('UNAUTHENTICATED');
      }
      expect(
        await database().client.feature.findUnique({ where: { name: 'anonymous' } }),
      ).toBeNull();
    });

    test('is refused to a worthless token', async () => {
      const { status } = await gateway().graphql(INTROSPECTION, {}, { token: 'garbage' });
      expect(status).toBe(401);
    });
  });

  test('in production introspection needs a token, and the demo tokens are refused', async () => {
    const { client } = database();
    const secret = '*:*.a-token-of-their-own';
    await client.apiToken.create({ data: { secret, username: 'own', type: 'admin' } });
    const production = await startGateway(database(), { NODE_ENV: 'production' });
    try {
      const ask = async (token: string | null) =>
        (await production.graphql('{ __schema { queryType { name } } }', {}, { token })).status;
      expect(await ask(null)).toBe(401);
      expect(await ask(DEMO_TOKENS.admin)).toBe(401);
      expect(await ask(`Bearer ${DEMO_TOKENS.rootAdmin}`)).toBe(401);
      expect(await ask(secret)).toBe(200);
      const refused = await production.rest('/api/admin/search/events');
      expect([refused.status, refused.body.name]).toEqual([401, 'AuthenticationRequired']);
      expect((await production.rest('/api/admin/search/events', { token: secret })).status).toBe(
        200,
      );
      expect((await production.rest('/livez', { token: null })).status).toBe(200);
    } finally {
      await production.stop();
    }
  });
});
