import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import {
  describeWithDemo,
  type Gateway,
  type GraphqlResult,
  type RestResult,
  startGateway,
} from '../../testkit/app.js';
import { cloneBy, TRANSPORTS } from '../../testkit/clones.js';

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

/** Parses a table whose columns are separated by two or more spaces; the first column is the key. */
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

const DENIED = ['AuthenticationRequired', 'NoAccessError'];

// Events: `all`, those `of projects`, or the error. Viewers see events of existing projects, and of private ones only as
// members. Deliveries: `yes` or the error.
const READS = readTable(`
  caller                  events                  report                  deliveries
  admin                   all                     yes                     yes
  a scheme and the admin token  all               yes                     yes
  rootAdmin               all                     yes                     yes
  a scheme in capitals and a personal token  all  yes                     yes
  serviceAccount          all                     yes                     yes
  groupAdmin              of open projects        NotFoundError           yes
  unknownType             NoAccessError           NoAccessError           NoAccessError
  editor                  of projects             yes                     NoAccessError
  viewer                  of open projects        NotFoundError                     NoAccessError
  owner                   of known projects       yes                     NoAccessError
  member                  of open projects        NotFoundError                     NoAccessError
  groupMember             of open projects        NotFoundError                     NoAccessError
  customRoot              of projects             yes                     NoAccessError
  wildcard                of projects             yes                     NoAccessError
  approver                of known projects       yes                     NoAccessError
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

// Project payments requires change requests, and project nowhere does not exist. Callers with CREATE_FEATURE there get
// that error; callers without it get NoAccessError.
const CLONES = readTable(`
  caller          default        web-shop       mobile         lab            payments        nowhere
  admin           ok             ok             ok             ok             ForbiddenError  NotFoundError
  rootAdmin       ok             ok             ok             ok             ForbiddenError  NotFoundError
  serviceAccount  ok             ok             ok             ok             ForbiddenError  NotFoundError
  groupAdmin      ok             ok             ok             ok             NotFoundError   NotFoundError
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
  NotFoundError: 404,
};
const CODE: Readonly<Record<string, string>> = {
  AuthenticationRequired: 'UNAUTHENTICATED',
  NoAccessError: 'FORBIDDEN',
  NotFoundError: 'NOT_FOUND',
};

/** The result of one read in both transports: a value, or the name of the error. */
const readBoth = async (
  gateway: Gateway,
  token: string | null,
  rest: { path: string; value: (body: RestResult['body']) => unknown },
  graphql: { query: string; value: (data: GraphqlResult['data']) => unknown },
) => {
  const restResponse = await gateway.rest(rest.path, { token });
  const graphqlResponse = await gateway.graphql(graphql.query, {}, { token });
  const error = graphqlResponse.errors?.[0];
  if (restResponse.status !== 200) {
    expect(restResponse.status).toBe(STATUS[restResponse.body.name]);
    expect(restResponse.body.id).toMatch(/^[0-9a-f-]{36}$/);
  }
  if (error) {
    expect(graphqlResponse.status).toBe(STATUS[error.extensions.name]);
    expect(error.extensions.code).toBe(CODE[error.extensions.name]);
    expect(error.extensions.id).toMatch(/^[0-9a-f-]{36}$/);
  }
  return [
    restResponse.status === 200 ? rest.value(restResponse.body) : restResponse.body.name,
    error ? error.extensions.name : graphql.value(graphqlResponse.data),
  ];
};

describeWithDemo('access', ({ gateway, database }) => {
  const totals: Record<string, number> = {};
  /** An event without a project that names a feature. */
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
    const projects = (await client.project.findMany()).map(({ id }) => id);
    const totalIn = (ids: string[]) => client.event.count({ where: { projectId: { in: ids } } });
    totals['all'] = await client.event.count();
    totals['of projects'] = await client.event.count({ where: { projectId: { not: null } } });
    totals['of known projects'] = await totalIn(projects);
    totals['of open projects'] = await totalIn(projects.filter((id) => id !== 'payments'));
    expect(new Set(Object.values(totals)).size).toBe(4);
  });

  describe.each(READS)('%s', (caller, { events, report, deliveries }) => {
    const token = TOKENS[caller] ?? null;

    test(`finds events: ${events}`, async () => {
      const expected = totals[events ?? ''] ?? events;
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
        '{ integration(id: 1) { deliveries { totalCount } } }',
      ]) {
        const { data, errors } = await gateway().graphql(query, {}, { token });
        expect(errors?.[0].extensions.name ?? 'yes').toBe(deliveries);
        if (errors) expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
      }
    });
  });

  describe.each(TRANSPORTS)('clone over %s', (transport) => {
    test.each(CLONES)('by %s', async (caller, expectedResults) => {
      const { client } = database();
      const before = await client.feature.count();
      for (const [into, resultName] of Object.entries(expectedResults)) {
        const slug = `${caller}-${transport}-${into}`.toLowerCase().replaceAll(' ', '-');
        const order = { feature: 'welcome-tour', name: `mobile.${slug}`, into };
        const outcome = await cloneBy(transport, gateway(), order, {
          token: TOKENS[caller] ?? null,
        });

        expect([into, outcome.resultName]).toEqual([into, resultName]);
        expect(outcome.project).toBe(resultName === 'ok' ? into : null);
        const isMissing =
          resultName === 'NoAccessError' && !['client', 'frontend', 'unknownType'].includes(caller);
        // A missing permission is a member of the result union.
        const status = isMissing && transport === 'GraphQL' ? 200 : STATUS[resultName];
        if (DENIED.includes(resultName)) expect(outcome.status).toBe(status);
        if (isMissing) {
          expect(outcome.message).toBe(`You need CREATE_FEATURE in project '${into}'.`);
          expect(outcome.permissions).toEqual(['CREATE_FEATURE']);
        }
      }
      const allowed = Object.values(expectedResults).filter((resultName) => resultName === 'ok');
      expect(await client.feature.count()).toBe(before + allowed.length);
    });
  });

  test('a clone without a target requires the permission in the project of its source', async () => {
    const mutation = `mutation ($name: String!) {
      cloneFeature(input: { featureName: "welcome-tour", newName: $name }) { __typename ... on Error { message } }
    }`;
    const rejected = await gateway().graphql(
      mutation,
      { name: 'own-project-1' },
      { token: DEMO_TOKENS.member },
    );
    expect(rejected.data.cloneFeature).toEqual({
      __typename: 'NoAccessError',
      message: "You need CREATE_FEATURE in project 'default'.",
    });
    const done = await gateway().graphql(
      mutation,
      { name: 'own-project-2' },
      { token: DEMO_TOKENS.editor },
    );
    expect(done.data.cloneFeature.__typename).toBe('CloneFeaturePayload');
  });

  test('the error of a delivery list names the missing permission and a remedy, in both transports', async () => {
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

  test('rejects API tokens of other types than admin, and names the accepted types', async () => {
    for (const token of [DEMO_TOKENS.client, DEMO_TOKENS.frontend, DEMO_TOKENS.unknownType]) {
      const { status, body } = await gateway().rest('/api/admin/search/events', { token });
      expect([status, body.name]).toEqual([403, 'NoAccessError']);
      expect(body.message).toMatch(/admin token or a personal access token/);
      expect(body.details).toEqual([{ message: body.message }]);
      expect(body.permissions).toEqual(['ADMIN']);
    }
  });

  test('returns the login path to callers without a token, but not to callers with an invalid one', async () => {
    const without = await gateway().rest('/api/admin/search/events', { token: null });
    expect(without.body).toMatchObject({
      path: '/auth/simple/login',
      type: 'password',
      defaultHidden: false,
    });
    const badToken = await gateway().rest('/api/admin/search/events', { token: 'garbage' });
    for (const { headers } of [without, badToken]) {
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(Object.keys(badToken.body)).toEqual(['id', 'name', 'message', 'details']);
  });

  test('returns 401 for existing and missing paths alike without a token', async () => {
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

  describe('an event without a project', () => {
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

    test.each(['admin', 'rootAdmin', 'serviceAccount'] as const)(
      'is visible to %s on every path',
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

    test('is not reachable through its delivery for an administrator who may not see it', async () => {
      const query = `{ integration(id: 1) { deliveries(first: 1) { nodes {
        event { eventId stored { id summary } } integration { deliveries(first: 1) { nodes { event { stored { id } } } } }
      } } } }`;
      const stored = async (token: string) => {
        const { data, errors } = await gateway().graphql(query, {}, { token });
        expect(errors).toBeUndefined();
        const [delivery] = data.integration.deliveries.nodes;
        const [nested] = delivery.integration.deliveries.nodes;
        return [delivery.event?.stored?.id ?? null, nested.event?.stored?.id ?? null];
      };
      expect(await stored(DEMO_TOKENS.rootAdmin)).toEqual([hidden, hidden]);
      expect(await stored(DEMO_TOKENS.groupAdmin)).not.toContain(hidden);
    });
  });

  test('only administrators see the IP address of an event', async () => {
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
    await client.event.delete({ where: { id } });
  });

  test('viewer returns the caller and its permissions', async () => {
    const query = `{ viewer { kind userId user { id } name authorName isAdmin seesAllEvents
      here: can(permission: "CREATE_FEATURE", projectId: "default")
      there: can(permission: "CREATE_FEATURE", projectId: "web-shop")
      anywhere: can(permission: "CREATE_FEATURE") } }`;
    const viewer = async (caller: keyof typeof DEMO_TOKENS) =>
      (await gateway().graphql(query, {}, { token: DEMO_TOKENS[caller] })).data.viewer;
    const noPermissions = { isAdmin: false, here: false, there: false, anywhere: false };
    const allPermissions = { isAdmin: true, here: true, there: true, anywhere: true };

    expect(await viewer('admin')).toEqual({
      kind: 'ADMIN_TOKEN',
      userId: -42,
      user: expect.anything(),
      name: 'demo-admin',
      authorName: 'demo-admin',
      seesAllEvents: true,
      ...allPermissions,
    });
    expect(await viewer('serviceAccount')).toMatchObject({
      kind: 'SERVICE_ACCOUNT',
      userId: 9,
      authorName: 'deploy-robot',
      ...allPermissions,
    });
    expect(await viewer('groupAdmin')).toMatchObject({
      kind: 'USER',
      authorName: 'greta.lindqvist@harbour-pine.example',
      seesAllEvents: false,
      ...allPermissions,
    });
    expect(await viewer('editor')).toMatchObject({ ...noPermissions, here: true });
    expect(await viewer('wildcard')).toMatchObject({ ...allPermissions, isAdmin: false });
    expect(await viewer('noRole')).toMatchObject({ seesAllEvents: false, ...noPermissions });
  });

  describe('tokens created in the database', () => {
    const totalFor = async (token: string) => {
      const { status, body } = await gateway().rest('/api/admin/search/events?limit=1', { token });
      return status === 200 ? body.total : body.name;
    };
    const deliveriesFor = async (token: string) =>
      (await gateway().rest('/api/admin/addons/1/events', { token })).status;

    test('take effect and are revoked at once', async () => {
      const { client } = database();
      const secret = 'legacy-token-without-a-colon';
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
      await client.apiToken.create({ data: { secret, username: 'x', type: 'ADMIN' } });
      expect(await totalFor(secret)).not.toBe('AuthenticationRequired');
      expect(await deliveriesFor(secret)).toBe(200);
      await client.apiToken.delete({ where: { secret } });
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
    });

    test('of type admin grant full access, whatever project and environment they name', async () => {
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
      expect((await cloneBy('REST', gateway(), order, { token: secret })).resultName).toBe('ok');
    });

    test('of a technical user are rejected', async () => {
      const { client } = database();
      const expiresAt = new Date('2099-01-01T00:00:00Z');
      const secret = 'user:of-the-system';
      await client.personalAccessToken.create({ data: { secret, userId: -1337, expiresAt } });
      expect(await totalFor(secret)).toBe('AuthenticationRequired');
    });

    test('are rejected once they expire or their user is deleted', async () => {
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

    test('are rejected when the e-mail of the owner is invalid, as in Unleash 6', async () => {
      const { client } = database();
      const secret = 'user:without-an-address';
      await client.user.create({ data: { id: 902, username: 'mailed', email: 'short@jp' } });
      await client.personalAccessToken.create({
        data: { secret, userId: 902, expiresAt: new Date('2099-01-01T00:00:00Z') },
      });
      expect(await totalFor(secret)).not.toBe('AuthenticationRequired');
      for (const email of ['no address', 'nobody', 'a@b@c', '@example.com']) {
        await client.user.update({ where: { id: 902 }, data: { email } });
        expect(await totalFor(secret)).toBe('AuthenticationRequired');
      }
    });

    test('a role named admin that is not a root role does not show events without a project', async () => {
      const { client } = database();
      await client.user.create({ data: { id: 901, username: 'named-admin' } });
      const role = await client.role.create({ data: { name: 'aDmIn' } });
      await client.roleUser.create({ data: { userId: 901, roleId: role.id, projectId: 'lab' } });
      const secret = 'user:named-admin';
      await client.personalAccessToken.create({
        data: { secret, userId: 901, expiresAt: new Date('2099-01-01T00:00:00Z') },
      });
      expect(await totalFor(secret)).toBe(
        await client.event.count({ where: { projectId: { not: null } } }),
      );
      expect(await deliveriesFor(secret)).toBe(403);
      await client.role.update({ where: { id: role.id }, data: { type: 'root' } });
      expect(await totalFor(secret)).toBe(await client.event.count());
    });
  });

  describe('introspection', () => {
    const INTROSPECTION =
      '{ __schema { queryType { name } } __type(name: "Event") { name } __typename }';

    test('needs no token in development, unlike all other fields', async () => {
      const open = await gateway().graphql(INTROSPECTION, {}, { token: null });
      expect(open.data.__schema.queryType.name).toBe('Query');
      const queries = [
        '{ __schema { queryType { name } } viewer { name } }',
        'query { __typename ...more } fragment more on Query { projects { totalCount } }',
        '{ __typename ... on Query { feature(name: "welcome-tour") { name } } }',
        'mutation { cloneFeature(input: { featureName: "welcome-tour", newName: "anonymous" }) { __typename } }',
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

    test('is rejected with an invalid token', async () => {
      const { status } = await gateway().graphql(INTROSPECTION, {}, { token: 'garbage' });
      expect(status).toBe(401);
    });
  });

  test('in production introspection requires a token, and demo tokens are rejected', async () => {
    const { client } = database();
    const secret = '*:*.a-token-of-their-own';
    await client.apiToken.create({ data: { secret, username: 'own', type: 'admin' } });
    const production = await startGateway(database(), { NODE_ENV: 'production' });
    try {
      const introspect = async (token: string | null) =>
        (await production.graphql('{ __schema { queryType { name } } }', {}, { token })).status;
      expect(await introspect(null)).toBe(401);
      expect(await introspect(DEMO_TOKENS.admin)).toBe(401);
      expect(await introspect(`Bearer ${DEMO_TOKENS.rootAdmin}`)).toBe(401);
      expect(await introspect(secret)).toBe(200);
      const rejected = await production.rest('/api/admin/search/events');
      expect([rejected.status, rejected.body.name]).toEqual([401, 'AuthenticationRequired']);
      expect((await production.rest('/api/admin/search/events', { token: secret })).status).toBe(
        200,
      );
      expect((await production.rest('/livez', { token: null })).status).toBe(200);
    } finally {
      await production.stop();
    }
  });
});
