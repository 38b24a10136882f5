import { beforeAll, expect, test } from 'vitest';
import { describeWithDemo } from '../../testkit/app.js';

const LISTS: [field: string, one: string, other: string, list: (filter: string) => string][] = [
  ['name', '"welcome-tour"', '"no-such-feature"', (filter) => `features(filter: ${filter})`],
  ['projectId', '"web-shop"', '"mobile"', (filter) => `features(filter: ${filter})`],
  ['type', '"release"', '"experiment"', (filter) => `features(filter: ${filter})`],
  [
    'type',
    '"release"',
    '"experiment"',
    (filter) => `project(id: "web-shop") { list: features(filter: ${filter})`,
  ],
  ['id', '"web-shop"', '"mobile"', (filter) => `projects(filter: ${filter})`],
  [
    'state',
    'SUCCESS',
    'FAILED',
    (filter) => `integrationEvents(integrationId: 2, filter: ${filter})`,
  ],
];

describeWithDemo('the filter operator `noneOf`', ({ gateway, database }) => {
  beforeAll(async () => {
    await database().client.feature.create({ data: { name: 'bare', type: null, projectId: null } });
  });

  test.each(LISTS)('for %s %s returns everything else', async (field, one, other, list) => {
    const total = async (condition: string): Promise<number> => {
      const selection = list(`{ ${field}: { ${condition} } }`);
      const closing = selection.includes('list:') ? '}' : '';
      const { data, errors } = await gateway().graphql(
        `{ found: ${selection} { totalCount } ${closing} }`,
      );
      expect(errors).toBeUndefined();
      return (data.found.list ?? data.found).totalCount;
    };
    const [all, is, isOther] = [
      await total(''),
      await total(`is: ${one}`),
      await total(`is: ${other}`),
    ];
    expect(is).toBeGreaterThan(0);
    expect(all).toBeGreaterThan(is);
    expect(await total(`noneOf: ${one}`)).toBe(all - is);
    expect(await total(`noneOf: [${one}, ${other}, ${one}]`)).toBe(all - is - isOther);
    expect(await total(`anyOf: [${one}, ${other}], noneOf: [${one}]`)).toBe(isOther);
    expect(await total(`is: ${one}, noneOf: [${one}]`)).toBe(0);
    expect(await total('noneOf: []')).toBe(all);
    expect(await total('noneOf: null')).toBe(all);
  });
});
