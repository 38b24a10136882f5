import { isDeepStrictEqual } from 'node:util';
import { at, isRecord, listAt } from '../coexistence/requests.js';
import { createUpstreamApi } from '../coexistence/upstream-api.js';
import type { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const SOURCE = 'rich';

const byNumber = (a: unknown, b: unknown) => Number(a) - Number(b);
const byName = (a: unknown, b: unknown) =>
  String(at(a, 'name')).localeCompare(String(at(b, 'name')), 'en');

/**
 * What a copy shares with its source: strategies without IDs, with the name of the feature replaced. Environments and
 * segments are sets: Unleash returns those without an order of their own as the database finds them.
 */
const comparable = (feature: unknown, name: string): unknown => ({
  type: at(feature, 'type'),
  description: at(feature, 'description'),
  impressionData: at(feature, 'impressionData'),
  environments: listAt(feature, 'environments')
    .toSorted(byName)
    .map((environment) => ({
      name: at(environment, 'name'),
      strategies: listAt(environment, 'strategies').map((strategy) => {
        if (!isRecord(strategy)) return strategy;
        const { id: _id, parameters, ...rest } = strategy;
        // The dialog replaces rollout groups by default.
        const { groupId: _groupId, ...others } = isRecord(parameters) ? parameters : {};
        const segments = listAt(strategy, 'segments').toSorted(byNumber);
        return JSON.parse(
          JSON.stringify({ ...rest, parameters: others, segments }).replaceAll(name, '<name>'),
        );
      }),
    })),
});

/** Clones a feature in the dialog, and reads both with Unleash's own API. */
export const checkClone = async (stage: Stage, visitor: Visitor): Promise<void> => {
  const { page } = visitor;
  const copy = `${SOURCE}-copied-in-console`;
  await visitor.check('the dialog clones a feature and links to the copy', async () => {
    await visitor.open(`/features/${SOURCE}`);
    await page.getByRole('button', { name: 'Clone', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the copy').fill(copy);
    await dialog.getByText('Ready to clone.').waitFor();
    await dialog.getByRole('button', { name: 'Clone', exact: true }).click();
    await dialog.getByRole('link', { name: `Open ${copy}` }).click();
    await page.getByRole('heading', { level: 1, name: copy }).waitFor();
    await visitor.settle();
    await visitor.picture('copy');
    return undefined;
  });
  await visitor.check('the API of Unleash returns the copy with all strategies', async () => {
    const api = createUpstreamApi(stage.unleash.url);
    const read = async (name: string) => {
      const { json } = await api('GET', `/api/admin/projects/default/features/${name}`);
      return comparable(json, name);
    };
    const [source, found] = [await read(SOURCE), await read(copy)];
    return isDeepStrictEqual(found, source)
      ? undefined
      : `should be ${JSON.stringify(source)}, is ${JSON.stringify(found)}`;
  });
};
