import { beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../testkit/app.js';
import {
  type CloneCall,
  cloneOverGraphql,
  cloneOverRest,
  outcomeOverGraphql,
  outcomeOverRest,
} from '../../testkit/clone-calls.js';
import {
  addFaultySources,
  addRefusalSources,
  EARLY_REFUSALS,
  FAULTY_SOURCES,
  LATE_REFUSALS,
} from '../../testkit/clone-refusals.js';
import { changesOf, NO_CHANGE } from '../../testkit/clone-tables.js';
import { addFeature, CLONE_TOKENS, describeWithCloneWorld } from '../../testkit/clone-world.js';

const titled = <Case extends { title: string }>(cases: readonly Case[]) =>
  cases.map((one): [string, Case] => [one.title, one]);

describeWithCloneWorld('a rejected clone', ({ gateway, startAnother, db }) => {
  beforeAll(async () => {
    await addRefusalSources(db());
    await addFaultySources(db());
  });

  /** Clones over both transports and checks that no table has changed. */
  const cloneRejected = async (call: CloneCall, at: Gateway = gateway()) => {
    const outcomes: Awaited<ReturnType<typeof outcomeOverRest>>[] = [];
    const changes = await changesOf(db(), async () => {
      outcomes.push(await outcomeOverRest(at, call), await outcomeOverGraphql(at, call));
    });
    expect(changes).toEqual(NO_CHANGE);
    const [rest, graphql] = outcomes;
    expect(graphql?.message).toBe(rest?.message);
    return { kinds: outcomes.map(({ kind }) => kind), message: rest?.message ?? '' };
  };

  test.each(titled([...EARLY_REFUSALS, ...LATE_REFUSALS, ...FAULTY_SOURCES]))(
    '%s writes nothing and reports the reason',
    async (_title, { title: _, rest, graphql, messageIncludes, ...call }) => {
      const { kinds, message } = await cloneRejected(call);
      expect(kinds).toEqual([rest, graphql]);
      for (const text of messageIncludes) expect(message).toContain(text);
    },
  );

  test('into an installation at its limit writes nothing', async () => {
    const count = await db().feature.count({ where: { archivedAt: null } });
    const full = await startAnother({ UNLEASH_FEATURE_FLAGS_LIMIT: String(count) });
    const { kinds, message } = await cloneRejected({ source: 'plain', name: 'x' }, full);
    expect(kinds).toEqual(['400 ExceedsLimitError', 'FeatureLimitError']);
    expect(message).toContain(String(count));

    const belowLimit = await startAnother({ UNLEASH_FEATURE_FLAGS_LIMIT: String(count + 1) });
    const call = { source: 'plain', name: 'the-last-one' };
    expect(await outcomeOverRest(belowLimit, call)).toMatchObject({ kind: 'cloned' });
  });

  test('without the permission writes nothing', async () => {
    const call = { source: 'plain', name: 'x', token: CLONE_TOKENS.vic };
    const { kinds, message } = await cloneRejected(call);
    expect(kinds).toEqual(['403 NoAccessError', 'NoAccessError']);
    expect(message).toContain("CREATE_FEATURE in project 'shop'");
  });

  test('reports configured limits instead of the default ones', async () => {
    const strict = await startAnother({
      UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT: '0',
      UNLEASH_CONSTRAINTS_LIMIT: '0',
      UNLEASH_STRATEGY_SEGMENTS_LIMIT: '0',
    });
    const { kinds, message } = await cloneRejected({ source: 'plain', name: 'x' }, strict);
    expect(kinds).toEqual(['400 ExceedsLimitError', 'CloneRefusedError']);
    expect(message).toContain('0 strategies');
  });

  describe('returns', () => {
    test('the naming pattern with its example and description', async () => {
      const call = { source: 'plain', name: 'x', project: 'named' };
      const { data } = await cloneOverGraphql(gateway(), call);
      expect(data.cloneFeature).toMatchObject({
        name: 'PatternError',
        pattern: '(shop|plaza)\\.[a-z]+',
        example: 'shop.cart',
        description: 'The part of the company, a dot, a word.',
      });
    });

    test('the limit of a full project', async () => {
      const call = { source: 'plain', name: 'x', project: 'small' };
      const { data } = await cloneOverGraphql(gateway(), call);
      expect(data.cloneFeature).toMatchObject({ name: 'InvalidOperationError', limit: 1 });
    });

    test('all missing properties of the source at once', async () => {
      const call = { source: 'incomplete', name: 'x' };
      const overGraphql = await cloneOverGraphql(gateway(), call);
      const overRest = await cloneOverRest(gateway(), call);
      const missing = ['stale', 'type', 'impressionData'].map((key) =>
        expect.stringContaining(`'${key}'`),
      );
      expect(overGraphql.data.cloneFeature.details).toEqual(missing);
      expect(overRest.body.details.map(({ message }: { message: string }) => message)).toEqual(
        missing,
      );
    });

    test('the permission that is required for an environment with change requests', async () => {
      const call = { source: 'staged', name: 'x', project: 'half-guarded' };
      const { body } = await cloneOverRest(gateway(), call);
      expect(body.permissions).toEqual(['SKIP_CHANGE_REQUEST']);
      const { data } = await cloneOverGraphql(gateway(), call);
      expect(data.cloneFeature.permissions).toEqual(['SKIP_CHANGE_REQUEST']);
    });

    test('a new ID each time, and the error name of REST', async () => {
      const call = { source: 'ghost', name: 'x' };
      const first = (await cloneOverGraphql(gateway(), call)).data.cloneFeature;
      const second = (await cloneOverGraphql(gateway(), call)).data.cloneFeature;
      expect(first.name).toBe('NotFoundError');
      expect(first.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(second.id).not.toBe(first.id);
    });
  });

  describe('with two reasons reports the first of', () => {
    beforeAll(async () => {
      await db().projectSettings.createMany({
        data: [
          { projectId: 'bare', featureLimit: 1, featureNamingPattern: 'bare-.*' },
          { projectId: 'closed', featureNamingPattern: 'closed-.*' },
          { projectId: 'guarded', featureNamingPattern: 'guarded-.*', featureLimit: 0 },
        ],
      });
      await addFeature(db(), { name: 'fills-bare', project: 'bare' });
      await addFeature(db(), {
        name: 'doubly-faulty',
        type: null,
        environments: { staging: { strategies: [{ name: 'vanished-type' }] } },
        parents: [{ feature: 'shelved' }],
      });
      await addFeature(db(), {
        name: 'faulty-child',
        environments: { development: { strategies: [{ name: 'vanished-type' }] } },
        parents: [{ feature: 'shelved' }],
      });
    });

    const full = { UNLEASH_FEATURE_FLAGS_LIMIT: '1' };
    const CASES: readonly (CloneCall & { title: string; kind: string; settings?: typeof full })[] =
      [
        {
          title: 'change requests and a bad name',
          source: 'ghost',
          name: 'a b',
          project: 'guarded',
          kind: '403 ForbiddenError',
        },
        {
          title: 'change requests and a name in use',
          source: 'plain',
          name: 'taken',
          project: 'guarded',
          kind: '403 ForbiddenError',
        },
        {
          title: 'a bad name and a missing project',
          source: 'plain',
          name: 'a b',
          project: 'atlantis',
          kind: '400 BadDataError',
        },
        {
          title: 'a bad name and a missing source',
          source: 'ghost',
          name: 'a b',
          kind: '400 BadDataError',
        },
        {
          title: 'a name in use and a missing source',
          source: 'ghost',
          name: 'taken',
          kind: '409 NameExistsError',
        },
        {
          title: 'a name in use and a missed pattern',
          source: 'plain',
          name: 'taken',
          project: 'bare',
          kind: '409 NameExistsError',
        },
        {
          title: 'a name in use and an archived project',
          source: 'plain',
          name: 'taken',
          project: 'closed',
          kind: '409 NameExistsError',
        },
        {
          title: 'a missing source and a missed pattern',
          source: 'ghost',
          name: 'x',
          project: 'named',
          kind: '404 NotFoundError',
        },
        {
          title: 'a missed pattern and a full project',
          source: 'plain',
          name: 'x',
          project: 'bare',
          kind: '400 PatternError',
        },
        {
          title: 'a missed pattern and an archived project',
          source: 'plain',
          name: 'x',
          project: 'closed',
          kind: '400 PatternError',
        },
        {
          title: 'a full project and a full installation',
          source: 'plain',
          name: 'bare-x',
          project: 'bare',
          settings: full,
          kind: '403 InvalidOperationError',
        },
        {
          title: 'a full installation and a missing project',
          source: 'plain',
          name: 'x',
          project: 'atlantis',
          settings: full,
          kind: '400 ExceedsLimitError',
        },
        {
          title: 'an archived project and an incomplete source',
          source: 'incomplete',
          name: 'closed-x',
          project: 'closed',
          kind: '404 NotFoundError',
        },
        {
          title: 'an incomplete source and a guarded environment',
          source: 'doubly-faulty',
          name: 'x',
          project: 'half-guarded',
          kind: '400 BadDataError',
        },
        {
          title: 'a missing permission and a bad name',
          source: 'ghost',
          name: 'a b',
          token: CLONE_TOKENS.vic,
          kind: '403 NoAccessError',
        },
        {
          title: 'a missing permission and a missing project',
          source: 'plain',
          name: 'x',
          project: 'atlantis',
          token: CLONE_TOKENS.ben,
          kind: '403 NoAccessError',
        },
      ];

    test.each(titled(CASES))('%s', async (_title, { title: _, kind, settings, ...call }) => {
      const at = settings ? await startAnother(settings) : gateway();
      const { kinds } = await cloneRejected(call, at);
      expect(kinds[0]).toBe(kind);
    });

    test('a missing source and a missing project', async () => {
      const { message } = await cloneRejected({ source: 'ghost', name: 'x', project: 'atlantis' });
      expect(message).toContain("'ghost'");
    });

    test('a faulty strategy and an archived parent', async () => {
      const { message } = await cloneRejected({ source: 'faulty-child', name: 'x' });
      expect(message).toContain("'vanished-type'");
    });
  });

  describe('would have been accepted', () => {
    const accept = async (call: CloneCall) => {
      expect(await outcomeOverRest(gateway(), { ...call, name: `${call.name}r` })).toEqual({
        kind: 'cloned',
        message: '',
      });
      expect(await outcomeOverGraphql(gateway(), { ...call, name: `${call.name}g` })).toEqual({
        kind: 'cloned',
        message: '',
      });
    };

    test('with a name of 100 characters that uses every character allowed in URLs', async () => {
      await accept({ source: 'plain', name: "A-z_0.9!~*'()".padEnd(99, '.') });
    });

    test('with a name that matches the pattern', async () => {
      await accept({ source: 'plain', name: 'shop.bas', project: 'named' });
    });

    test('with a name that differs from an existing one only in case', async () => {
      await accept({ source: 'plain', name: 'TAKEN' });
      await accept({ source: 'plain', name: 'taken-elsewhere' });
    });

    test('into a project whose pattern is not a valid regular expression', async () => {
      await db().projectSettings.create({
        data: { projectId: 'default', featureNamingPattern: '([' },
      });
      await accept({ source: 'plain', name: 'unjudged', project: 'default' });
    });

    test('into a project whose features are all archived, whatever its limit', async () => {
      await db().feature.updateMany({
        where: { projectId: 'small' },
        data: { archivedAt: new Date() },
      });
      const call = { source: 'plain', project: 'small' };
      const outcome = await outcomeOverRest(gateway(), { ...call, name: 'first-in-small' });
      expect(outcome.kind).toBe('cloned');
      const { kinds } = await cloneRejected({ ...call, name: 'second-in-small' });
      expect(kinds).toEqual(['403 InvalidOperationError', 'FeatureLimitError']);
    });

    test('without strategies in the environment with change requests', async () => {
      await accept({ source: 'taken', name: 'unguarded', project: 'half-guarded' });
    });
  });
});
