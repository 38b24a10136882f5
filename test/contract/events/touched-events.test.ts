import { expect, test } from 'vitest';
import { SUBJECT_RULES } from '../../../src/data/events/subject-rules.js';
import { describeWithDemo } from '../../testkit/app.js';

type Found = { id: number; typeName: string; preData: unknown; changes: { path: string }[] | null };

const EVENTS = `query ($filter: EventFilter, $after: String) {
  events(first: 1000, after: $after, filter: $filter) {
    nodes { id typeName preData changes { path } } pageInfo { hasNextPage endCursor }
  }
}`;

describeWithDemo('events found by a path', ({ gateway }) => {
  const findAll = async (filter: object): Promise<Found[]> => {
    const found: Found[] = [];
    for (let after: string | null = null; ; ) {
      const { data } = await gateway().graphql(EVENTS, { filter, after });
      found.push(...data.events.nodes);
      if (!data.events.pageInfo.hasNextPage) return found;
      after = data.events.pageInfo.endCursor;
    }
  };
  const idsOf = (events: readonly Found[]) => events.map(({ id }) => id);
  /** Its previous state is in an earlier event, if at all. */
  const isUpdate = ({ typeName, preData }: Found) =>
    SUBJECT_RULES.has(typeName) && preData === null;

  test.each(['', 'enabled', 'parameters.rollout', 'variants[].weight'])(
    'have a change at %j',
    async (path) => {
      const all = await findAll({});
      const steps = path.split('.')[0]?.replace('[]', '') ?? '';
      const touched = await findAll({ touches: path });
      const changed = all.filter(({ changes }) =>
        changes?.some(
          (change) => path === '' || change.path === '' || change.path.startsWith(steps),
        ),
      );
      expect(idsOf(changed)).toEqual(
        expect.arrayContaining(idsOf(touched.filter((event) => !isUpdate(event)))),
      );
      expect(touched.filter(({ changes }) => changes === null).every(isUpdate)).toBe(true);
      if (path === '') {
        expect(idsOf(touched)).toEqual(
          expect.arrayContaining(idsOf(changed.filter((event) => !isUpdate(event)))),
        );
      }
      expect(touched.length).toBeGreaterThan(0);
    },
  );
});
