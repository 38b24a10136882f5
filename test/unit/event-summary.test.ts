import { describe, expect, test } from 'vitest';
import { describeEvent } from '../../src/domain/events/event-summary.js';
import type { EventFacts } from '../../src/domain/events/event-text-parts.js';
import { EVENT_LABELS } from '../../src/domain/events/event-texts.js';
import { EVENT_TYPES } from '../../src/domain/events/event-types.js';

const UI = 'http://ui.test';
const WEB = '[web](http://ui.test/projects/web)';
const CHECKOUT = '[checkout](http://ui.test/projects/web/features/checkout)';

const event = (fields: Partial<EventFacts>): EventFacts => ({
  type: 'feature-created',
  createdBy: 'alice@example.com',
  featureName: null,
  projectId: null,
  environment: null,
  data: null,
  preData: null,
  ...fields,
});

const summaryOf = (fields: Partial<EventFacts>): string =>
  describeEvent(event(fields), { adminUiUrl: UI }).summary;

const ofCheckout = { featureName: 'checkout', projectId: 'web' };
const inProduction = { ...ofCheckout, environment: 'production' };

describe('every event type of the API document', () => {
  test.each(EVENT_TYPES)('%s has its own label and summary', (type) => {
    const full = describeEvent(event({ type, ...inProduction, data: { name: 'thing' } }), {
      adminUiUrl: UI,
    });
    const bare = describeEvent(event({ type }), { adminUiUrl: UI });

    expect(full.label).toBe(EVENT_LABELS[type]);
    expect(full.label).toMatch(/^[A-Z][A-Za-z -]+$/);
    for (const { summary } of [full, bare]) {
      expect(summary).not.toContain('an event of type');
      expect(summary).not.toMatch(/undefined|null|\[object| {2}|^ | $|flag|toggle/);
      expect(summary).toMatch(/^(alice@example\.com|The schedule of) \S/);
    }
  });

  test('has a unique label', () => {
    expect(Object.keys(EVENT_LABELS)).toEqual([...EVENT_TYPES]);
    expect(new Set(Object.values(EVENT_LABELS)).size).toBe(EVENT_TYPES.length);
  });
});

describe('summaries', () => {
  const sentences: [string, Partial<EventFacts>, string][] = [
    ['feature-created', ofCheckout, `created feature ${CHECKOUT} in project ${WEB}`],
    ['feature-archived', ofCheckout, `archived feature checkout in project ${WEB}`],
    ['feature-deleted', ofCheckout, `deleted feature checkout in project ${WEB}`],
    ['feature-revived', ofCheckout, `revived feature ${CHECKOUT} in project ${WEB}`],
    ['feature-stale-on', ofCheckout, `marked feature ${CHECKOUT} in project ${WEB} as stale`],
    [
      'feature-environment-enabled',
      inProduction,
      `enabled feature ${CHECKOUT} in environment production of project ${WEB}`,
    ],
    [
      'feature-environment-variants-updated',
      {
        ...inProduction,
        preData: { variants: [] },
        data: {
          variants: [
            { name: 'blue', weight: 505 },
            { name: 'red', weight: 495 },
          ],
        },
      },
      `changed the variants of feature ${CHECKOUT} in environment production of project ${WEB}: variants set to (blue 50.5%, red 49.5%)`,
    ],
    [
      'feature-project-change',
      { ...ofCheckout, data: { oldProject: 'shop', newProject: 'web' } },
      `moved feature ${CHECKOUT} from project [shop](http://ui.test/projects/shop) to project ${WEB}`,
    ],
    [
      'feature-strategy-add',
      { ...inProduction, data: { name: 'flexibleRollout', title: 'Beta testers' } },
      `added strategy Beta testers to feature ${CHECKOUT} in environment production of project ${WEB}`,
    ],
    [
      'feature-strategy-remove',
      { ...inProduction, preData: { name: 'default' } },
      `removed strategy default from feature ${CHECKOUT} in environment production of project ${WEB}`,
    ],
    [
      'feature-tagged',
      { ...ofCheckout, data: { type: 'simple', value: 'beta' } },
      `added tag simple:beta to feature ${CHECKOUT} in project ${WEB}`,
    ],
    [
      'feature-untagged',
      { ...ofCheckout, preData: { type: 'simple', value: 'beta' } },
      `removed tag simple:beta from feature ${CHECKOUT} in project ${WEB}`,
    ],
    [
      'feature-dependency-added',
      { ...ofCheckout, data: { feature: 'payments', enabled: true, variants: ['blue'] } },
      `made feature ${CHECKOUT} in project ${WEB} depend on feature [payments](http://ui.test/projects/web/features/payments) serving variant blue`,
    ],
    [
      'feature-dependency-added',
      { ...ofCheckout, data: { feature: 'payments', enabled: false } },
      `made feature ${CHECKOUT} in project ${WEB} depend on feature [payments](http://ui.test/projects/web/features/payments) being disabled`,
    ],
    [
      'feature-favorited',
      { data: { feature: 'checkout' } },
      'added feature checkout to the favorites',
    ],
    [
      'features-exported',
      { data: { features: ['checkout', 'payments'], environment: 'production' } },
      'exported features checkout, payments in environment production',
    ],
    [
      'release-plan-milestone-started',
      { ...inProduction, data: { name: 'Careful', milestoneName: 'Half' } },
      `started milestone Half of release plan Careful for feature ${CHECKOUT} in environment production of project ${WEB}`,
    ],
    ['project-created', { projectId: 'web' }, `created project ${WEB}`],
    ['project-deleted', { projectId: 'web' }, 'deleted project web'],
    ['project-archived', { projectId: 'web' }, 'archived project web'],
    ['project-favorited', { data: { project: 'web' } }, `added project ${WEB} to the favorites`],
    [
      'project-environment-added',
      { projectId: 'web', environment: 'production' },
      `added environment production to project ${WEB}`,
    ],
    [
      'project-access-added',
      { projectId: 'web', data: { users: [{ id: 7 }, 8], groups: [2], roles: [4, 5] } },
      `granted access to project ${WEB} to users 7, 8 and groups 2 with roles 4, 5`,
    ],
    [
      'project-access-user-roles-updated',
      { projectId: 'web', preData: { userId: 7, roles: [4] }, data: { userId: 7, roles: [4, 5] } },
      `changed the roles of user 7 in project ${WEB}: roles from 4 to 4, 5`,
    ],
    [
      'project-user-added',
      { projectId: 'web', data: { email: 'bob@example.com', userId: 7, roleName: 'Member' } },
      `added user bob@example.com to project ${WEB} as Member`,
    ],
    [
      'project-group-role-changed',
      { projectId: 'web', preData: { groupId: 2, roleId: 4 }, data: { groupId: 2, roleId: 5 } },
      `changed the role of group 2 in project ${WEB} from 4 to 5`,
    ],
    [
      'change-request-created',
      { ...inProduction, data: { changeRequestId: 12 } },
      `created change request [#12](http://ui.test/projects/web/change-requests/12) for feature ${CHECKOUT} in environment production of project ${WEB}`,
    ],
    [
      'change-request-discarded',
      { projectId: 'web', preData: { changeRequestId: 12 } },
      `discarded change request [#12](http://ui.test/projects/web/change-requests/12) in project ${WEB}`,
    ],
    ['change-request-approved', { data: { changeRequestId: 12 } }, 'approved change request #12'],
    [
      'change-request-approved',
      { projectId: 'web' },
      `approved a change request in project ${WEB}`,
    ],
    [
      'change-request-scheduled',
      {
        projectId: 'web',
        data: { changeRequestId: 12, scheduledDate: '2026-01-02T03:04:05.000Z' },
      },
      `scheduled change request [#12](http://ui.test/projects/web/change-requests/12) in project ${WEB}, due at 2026-01-02T03:04:05.000Z`,
    ],
    [
      'change-request-scheduled-application-failure',
      { data: { changeRequestId: 12 } },
      'failed to apply scheduled change request #12',
    ],
    ['role-created', { data: { name: 'Auditor' } }, 'created role Auditor'],
    ['user-created', { data: { id: 3, email: 'bob@example.com' } }, 'created user bob@example.com'],
    ['user-deleted', { preData: { id: 3 } }, 'deleted user 3'],
    [
      'group-updated',
      { preData: { name: 'Guests' }, data: { name: 'Visitors' } },
      'updated group Guests (now Visitors)',
    ],
    ['segment-deleted', { preData: { name: 'EU' } }, 'deleted segment EU'],
    ['addon-config-updated', { preData: { provider: 'slack' } }, 'updated integration slack'],
    ['tag-created', { data: { type: 'simple', value: 'beta' } }, 'created tag simple:beta'],
    [
      'feature-type-updated',
      {
        preData: { name: 'Release', lifetimeDays: 40 },
        data: { name: 'Release', lifetimeDays: 30 },
      },
      'updated feature type Release: lifetime in days from 40 to 30',
    ],
    [
      'api-token-created',
      { projectId: 'web,shop', environment: '*', data: { username: 'ci', secret: 's3cret' } },
      'created API token ci in all environments of projects web, shop',
    ],
    [
      'api-token-deleted',
      { projectId: '*', environment: 'production', preData: { tokenName: 'ci' } },
      'deleted API token ci in environment production of all projects',
    ],
    [
      'public-signup-token-user-added',
      { data: { secret: 's3cret', userId: 9 } },
      'added user 9 through a public sign-up link',
    ],
    [
      'user-preference-updated',
      { data: { subscription: 'productivity-report', action: 'unsubscribed' } },
      'changed a preference about productivity-report: unsubscribed',
    ],
    ['scim-users-deleted', {}, 'deleted all users provisioned through SCIM'],
  ];

  test.each(sentences)('contain author, action, place and value: %s', (type, fields, sentence) => {
    expect(summaryOf({ type, ...fields })).toBe(`alice@example.com ${sentence}`);
  });

  test('of a suspended schedule contain its reason', () => {
    expect(
      summaryOf({
        type: 'change-request-schedule-suspended',
        projectId: 'web',
        data: { changeRequestId: 12, reason: 'Feature checkout was archived' },
      }),
    ).toBe(
      `The schedule of change request [#12](http://ui.test/projects/web/change-requests/12) in project ${WEB} was suspended: Feature checkout was archived`,
    );
  });

  test('have names for Unleash itself and for a missing author', () => {
    const type = 'drop-tags';
    expect(summaryOf({ type, createdBy: 'unleash_system_user' })).toBe(
      'The system removed all tags',
    );
    expect(summaryOf({ type, createdBy: '' })).toBe('Somebody removed all tags');
    expect(summaryOf({ type, createdBy: ' \n ' })).toBe('Somebody removed all tags');
  });

  test('do not link a feature without a project', () => {
    expect(summaryOf({ featureName: 'checkout' })).toBe(
      'alice@example.com created feature checkout',
    );
  });

  test('do not repeat trailing slashes of the base URL', () => {
    const { summary } = describeEvent(event({ type: 'project-created', projectId: 'web' }), {
      adminUiUrl: `${UI}/sub//`,
    });
    expect(summary).toBe(
      'alice@example.com created project [web](http://ui.test/sub/projects/web)',
    );
  });
});

describe('a type newer than this build', () => {
  test('gets a label from its name and a summary with that name', () => {
    const { label, summary } = describeEvent(
      event({ type: 'feature-link-added', ...inProduction }),
      { adminUiUrl: UI },
    );
    expect(label).toBe('Feature link added');
    expect(summary).toBe(
      `alice@example.com caused an event of type feature-link-added for feature ${CHECKOUT} in environment production of project ${WEB}`,
    );
  });

  test.each([
    ['constructor', 'Constructor', 'an event of type constructor'],
    ['__proto__', 'Proto', 'an event of type \\_\\_proto\\_\\_'],
    ['', 'Unnamed event', 'an event without a type'],
  ])('is accepted even when it is %j', (type, label, description) => {
    expect(describeEvent(event({ type }), { adminUiUrl: UI })).toEqual({
      label,
      summary: `alice@example.com caused ${description}`,
    });
  });
});

describe('the summary of feature-strategy-update', () => {
  const update = (preData: unknown, data: unknown): string => {
    const summary = summaryOf({ type: 'feature-strategy-update', ...inProduction, data, preData });
    const start = `alice@example.com updated strategy flexibleRollout of feature ${CHECKOUT} in environment production of project ${WEB}`;
    expect(summary.startsWith(start)).toBe(true);
    return summary.slice(start.length);
  };
  const strategy = (fields: object) => ({ name: 'flexibleRollout', ...fields });
  const withParameters = (parameters: unknown) => strategy({ parameters });
  const withConstraints = (constraints: unknown) => strategy({ constraints });

  test('lists nothing when nothing changed', () => {
    const state = strategy({
      parameters: { rollout: '50', stickiness: 'default', groupId: 'a' },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
      segments: [1],
    });
    expect(update(state, structuredClone(state))).toBe('');
    expect(update(strategy({}), strategy({ constraints: [], segments: null, title: '' }))).toBe('');
  });

  test('lists changed parameters', () => {
    expect(
      update(
        withParameters({ rollout: '10', stickiness: 'default', groupId: 'a' }),
        withParameters({ rollout: 25.5, stickiness: 'userId', groupId: 'b' }),
      ),
    ).toBe(': rollout from 10% to 25.5%; stickiness from default to userId; group id from a to b');
  });

  test('handles a missing earlier or new state', () => {
    expect(update(null, withParameters({ rollout: '10' }))).toBe(': rollout set to 10%');
    expect(update(withParameters({ rollout: '10' }), null)).toBe('');
    expect(update(withParameters(null), withParameters(null))).toBe('');
  });

  test('lists changed users, IP addresses and hosts', () => {
    expect(
      update(
        withParameters({ userIds: '1,2', IPs: '', hostNames: 'a' }),
        withParameters({ userIds: '1, 2, 3', IPs: '10.0.0.1', hostNames: '' }),
      ),
    ).toBe(
      ': user ids from (1, 2) to (1, 2, 3); IP addresses set to (10.0.0.1); host names (a) removed',
    );
  });

  test.each([
    [{ operator: 'IN', values: ['1', '2'] }, 'is any of 1, 2'],
    [{ operator: 'NOT_IN', values: ['1'] }, 'is none of 1'],
    [
      { operator: 'STR_CONTAINS', values: ['x'], caseInsensitive: true },
      'contains x in any letter case',
    ],
    [{ operator: 'NUM_GTE', value: '5', values: [] }, 'is at least 5'],
    [{ operator: 'DATE_AFTER', value: '2026-01-01' }, 'is later than 2026-01-01'],
    [{ operator: 'SEMVER_LT', value: '1.2.3' }, 'is older than version 1.2.3'],
    [{ operator: 'NEWER_ONE', value: 'x' }, 'NEWER_ONE x'],
    [{ operator: 'toString', value: 'x' }, 'toString x'],
    [{ operator: 'IN', values: null }, 'is any of nothing'],
  ])('lists changed constraints: %j', (constraint, expected) => {
    const userId = { contextName: 'userId', ...constraint };
    expect(update(withConstraints([]), withConstraints([userId]))).toBe(
      `: constraints set to (userId ${expected})`,
    );
  });

  test('lists constraints that were inverted or removed', () => {
    const eu = { contextName: 'region', operator: 'IN', values: ['eu'] };
    expect(update(withConstraints([eu]), withConstraints([{ ...eu, inverted: true }]))).toBe(
      ': constraints from (region is any of eu) to (not (region is any of eu))',
    );
    expect(update(withConstraints([eu]), withConstraints(null))).toBe(
      ': constraints (region is any of eu) removed',
    );
  });

  test('lists changed segments, variants, title, sort order and disabled state', () => {
    expect(
      update(
        strategy({ segments: [1], variants: [], disabled: false, sortOrder: 1, title: null }),
        strategy({
          segments: [1, 2],
          variants: [{ name: 'blue', weight: 1000 }],
          disabled: true,
          sortOrder: 2,
          title: null,
        }),
      ),
    ).toBe(
      ': segments from (1) to (1, 2); variants set to (blue 100%); now disabled; sort order from 1 to 2',
    );
  });

  test('uses the previous title', () => {
    expect(
      summaryOf({
        type: 'feature-strategy-update',
        preData: { name: 'default', title: 'Old' },
        data: { name: 'default', title: 'New' },
      }),
    ).toBe('alice@example.com updated strategy Old of a feature: title from Old to New');
  });

  test('shortens long lists, and detects changes in the omitted part', () => {
    const ids = Array.from({ length: 30 }, (_, index) => `${index}`);
    const segments = (list: unknown[]) => strategy({ segments: list });
    const listed = ids.slice(0, 20).join(', ');
    expect(update(segments([]), segments(ids))).toBe(`: segments set to (${listed} … and 10 more)`);
    expect(update(segments(ids), segments([...ids.slice(0, 29), 'x']))).toBe(': segments changed');
  });

  test('shortens a long text of IDs', () => {
    const userIds = Array.from({ length: 100_000 }, () => '12345678').join(',');
    expect(update(withParameters({}), withParameters({ userIds }))).toBe(
      `: user ids set to (${Array(20).fill('12345678').join(', ')} … and at least 425 more)`,
    );
  });
});

describe('Markdown escaping', () => {
  const named = (name: string): string =>
    summaryOf({ type: 'role-created', createdBy: 'al', data: { name } }).slice(
      'al created role '.length,
    );

  test.each([
    ['[click](http://evil.test)', '\\[click\\](http\\://evil.test)'],
    ['![x](y)', '!\\[x\\](y)'],
    ['**bold** and *soft*', '\\*\\*bold\\*\\* and \\*soft\\*'],
    ['_soft_ my_feature_name', '\\_soft\\_ my_feature_name'],
    ['__init__', '\\_\\_init\\_\\_'],
    ['`code`', '\\`code\\`'],
    ['~~gone~~', '\\~\\~gone\\~\\~'],
    ['<script>alert(1)</script>', '\\<script\\>alert(1)\\</script\\>'],
    ['&lt;b&#62; R&D', '\\&lt;b\\&#62; R&D'],
    ['back\\slash\\', 'back\\\\slash\\\\'],
    ['_www.evil.test', '\\_www\\.evil.test'],
    ['one\ntwo\r\n\r\n# three', 'one two # three'],
    ['a\u0000b\u202ec\u2028d', 'a b c d'],
    ['lone \ud800 half', 'lone \ufffd half'],
  ])('keeps the meaning of %j', (value, expected) => {
    expect(named(value)).toBe(expected);
  });

  test.each([
    ['# Boss', '\\# Boss'],
    ['- Boss', '\\- Boss'],
    ['+ Boss', '\\+ Boss'],
    ['> Boss', '\\> Boss'],
    ['1. Boss', '1\\. Boss'],
    ['12) Boss', '12\\) Boss'],
    ['-', '\\-'],
    ['    Boss', 'Boss'],
    ['[x]: http://evil.test', '\\[x\\]: http\\://evil.test'],
    ['#1-bot', '#1-bot'],
  ])('prevents blocks started by the author %j', (createdBy, expected) => {
    expect(summaryOf({ type: 'drop-tags', createdBy })).toBe(`${expected} removed all tags`);
  });

  test('encodes link targets by segment', () => {
    expect(summaryOf({ projectId: 'a/b)c', featureName: "x y?#(']\ud800" })).toBe(
      "alice@example.com created feature [x y?#('\\]\ufffd](http://ui.test/projects/a%2Fb%29c/features/x%20y%3F%23%28%27%5D%EF%BF%BD) in project [a/b)c](http://ui.test/projects/a%2Fb%29c)",
    );
  });

  test.each(['..', '.', 'x'.repeat(301)])(
    'omits misleading links for feature %#',
    (featureName) => {
      expect(summaryOf({ projectId: 'web', featureName })).not.toContain('/features/');
    },
  );

  test('truncates long values with an ellipsis, never inside a character', () => {
    expect(named('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
    expect(named(`${'x'.repeat(199)}😀😀`)).toBe(`${'x'.repeat(199)}…`);
  });
});

describe('with arbitrary rows', () => {
  const KEYS = [
    'name title parameters constraints segments variants values value contextName operator',
    'inverted caseInsensitive disabled sortOrder rollout stickiness groupId userIds IPs hostNames',
    'changeRequestId reason scheduledDate oldProject feature features enabled type tagType weight',
    'users groups roles userId roleName lifetimeDays provider username message milestoneName id',
    '__proto__ constructor toString length',
  ].flatMap((keys) => keys.split(' '));

  // mulberry32
  const randomFrom = (seed: number) => {
    let state = seed;
    return (below: number): number => {
      state = (state + 0x6d2b79f5) | 0;
      let bits = Math.imul(state ^ (state >>> 15), 1 | state);
      bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
      return ((bits ^ (bits >>> 14)) >>> 0) % below;
    };
  };
  type Random = ReturnType<typeof randomFrom>;

  const TEXTS = [
    '',
    ' ',
    'a',
    '\ud800',
    '\udc00x',
    '\u0000',
    '*',
    ',',
    ',,,',
    '..',
    '{{#x}}',
    '50',
  ];
  const SIGNS = '*_[]()<>`~\\#&;:/.!|\n\t\u202e😀\ud83d漢 a1,';

  const randomText = (random: Random): string => {
    if (random(3) > 0) return TEXTS[random(TEXTS.length)] ?? '';
    const length = [1, 3, 10, 250][random(4)] ?? 0;
    return Array.from({ length }, () => SIGNS.charAt(random(SIGNS.length))).join('');
  };

  const randomList = (random: Random, depth: number): unknown[] =>
    Array.from({ length: depth > 2 ? random(25) : random(5) }, () => randomValue(random, depth));

  // Parsed from JSON, so that __proto__ becomes a field as in a stored row.
  const randomObject = (random: Random, depth: number): unknown => {
    const entries = KEYS.filter(() => random(depth + 1) === 0).map((key) => {
      const value = key.endsWith('s') && depth < 4 ? randomNested : randomValue;
      return `${JSON.stringify(key)}:${JSON.stringify(value(random, depth))}`;
    });
    return JSON.parse(`{${entries.join(',')}}`);
  };

  const randomNested = (random: Random, depth: number): unknown =>
    random(2) === 0 ? randomList(random, depth + 1) : randomObject(random, depth + 1);

  const randomValue = (random: Random, depth: number): unknown => {
    const kind = random(depth > 2 ? 5 : 7);
    if (kind === 0) return null;
    if (kind === 1) return random(2) === 0;
    if (kind === 2) return [0, -1, 1e300, 0.1, 42][random(5)];
    return kind < 5 ? randomText(random) : randomNested(random, depth);
  };

  const nullOrText = (random: Random) => (random(3) === 0 ? null : randomText(random));

  test('the description is a short line of text', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = randomFrom(seed);
      const known = EVENT_TYPES[random(EVENT_TYPES.length)] ?? '';
      const fields: EventFacts = {
        type: [known, 'feature-strategy-update', randomText(random)][random(3)] ?? '',
        createdBy: randomText(random),
        featureName: nullOrText(random),
        projectId: nullOrText(random),
        environment: nullOrText(random),
        data: randomValue(random, 0),
        preData: randomValue(random, 0),
      };
      const { label, summary } = describeEvent(fields, { adminUiUrl: UI });

      expect(label.length, `seed ${seed}`).toBeGreaterThan(0);
      expect(label.length, `seed ${seed}`).toBeLessThan(250);
      expect(summary.length, `seed ${seed}`).toBeGreaterThan(0);
      expect(summary.length, `seed ${seed}`).toBeLessThan(5_000);
      expect(summary, `seed ${seed}`).not.toMatch(/\[object|undefined|null|NaN|\n/);
      expect(summary.match(/\p{Surrogate}/u), `seed ${seed}`).toBeNull();
    }
  });

  test('the longest summary stays below five thousand characters', () => {
    const long = '*'.repeat(300);
    const many = Array(25).fill(long);
    const constraint = { contextName: long, operator: long, values: many, inverted: true };
    const state = {
      title: long,
      parameters: { rollout: long, stickiness: long, groupId: long, userIds: many, IPs: many },
      constraints: Array(25).fill(constraint),
      segments: many,
      variants: Array(25).fill({ name: long, weight: 1 / 3 }),
    };
    const other = JSON.parse(JSON.stringify(state).replaceAll('**', '[]'));
    const name = '('.repeat(80);
    const fields = { createdBy: long, featureName: name, projectId: name, environment: long };
    for (const type of EVENT_TYPES) {
      expect(summaryOf({ type, ...fields, data: state, preData: other }).length).toBeLessThan(
        5_000,
      );
    }
  });

  test('the processing time does not grow with the payload', () => {
    let reads = 0;
    const counted = (list: unknown[]): unknown[] =>
      new Proxy(list, {
        get: (target, key, receiver) => {
          reads += 1;
          return Reflect.get(target, key, receiver);
        },
      });
    const readsFor = (length: number): number => {
      reads = 0;
      const list = () => counted(Array(length).fill('x'));
      const state = () => ({
        parameters: { userIds: list() },
        constraints: counted(Array(length).fill({ contextName: 'a', values: list() })),
        segments: list(),
        variants: list(),
      });
      summaryOf({ type: 'feature-strategy-update', data: state(), preData: state() });
      return reads;
    };
    expect(readsFor(100_000)).toBeGreaterThan(0);
    expect(readsFor(1_000_000)).toBe(readsFor(100_000));
  });

  test('a payload nested a hundred thousand levels deep is handled', () => {
    const nested = () => {
      let value: unknown = [];
      for (let depth = 0; depth < 100_000; depth += 1) value = [value];
      return { name: 'default', segments: value, constraints: value };
    };
    expect(summaryOf({ type: 'feature-strategy-update', data: nested(), preData: nested() })).toBe(
      'alice@example.com updated strategy default of a feature',
    );
  });
});
