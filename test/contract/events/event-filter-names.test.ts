import { expect, test } from 'vitest';
import { openGateway } from '../../../src/cli/gateway/open-gateway.js';
import { createGatewayQuery } from '../../../src/cli/gateway/send-request.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { type FilterOptions, readFilterOptions } from '../../../src/export/filter-options.js';
import { resolveNames } from '../../../src/export/resolve-names.js';
import { describeWithDemo } from '../../testkit/app.js';

describeWithDemo('names in event filters', ({ gateway, database }) => {
  const resolve = async (options: FilterOptions, token: string = DEMO_TOKENS.admin) => {
    const remote = await openGateway({ url: gateway().url, token, env: {} });
    const { signal } = new AbortController();
    return resolveNames(createGatewayQuery(remote, signal), readFilterOptions(options), options);
  };

  test('are resolved to project IDs, whatever their case', async () => {
    expect(await resolve({ project: ['web-shop'] })).toEqual({ projectId: { is: 'web-shop' } });
    expect(await resolve({ project: ['web SHOP', 'Mobile apps', 'default'] })).toEqual({
      projectId: { anyOf: ['web-shop', 'mobile', 'default'] },
    });
  });

  test('may belong to deleted projects and features that the log still contains', async () => {
    expect(await resolve({ project: ['hackathon'] })).toEqual({ projectId: { is: 'hackathon' } });
    const deleted = await database().client.event.findFirstOrThrow({
      where: { type: 'feature-deleted' },
    });
    const feature = [deleted.featureName ?? ''];
    expect(await resolve({ feature })).toEqual({ featureName: { is: feature[0] } });
  });

  test('of features, environments and authors are validated', async () => {
    const options = {
      feature: ['checkout-one-page'],
      environment: ['production'],
      createdBy: ['olu'],
    };
    expect(await resolve(options)).toEqual({
      featureName: { is: 'checkout-one-page' },
      environmentName: { is: 'production' },
      createdBy: { is: 'olu' },
    });
  });

  test.each<[FilterOptions, string]>([
    [
      { project: ['web-shp'] },
      "No project is called 'web-shp', and no event mentions it. Did you mean 'web-shop'",
    ],
    [{ project: ['Mobile app'] }, "Did you mean 'Mobile apps'"],
    [{ project: ['qqqqq'] }, 'Check the spelling'],
    [{ project: ['default', 'web-shp'] }, "No project is called 'web-shp'"],
    [
      { feature: ['checkout-one-pgae'] },
      "No feature is called 'checkout-one-pgae', and no event mentions it. Did you mean 'checkout-one-page'",
    ],
    [{ feature: ['Checkout-One-Page'] }, "Did you mean 'checkout-one-page'"],
    [
      { environment: ['prodution'] },
      "No environment is called 'prodution', and no event mentions it. Did you mean 'production'",
    ],
    [{ createdBy: ['oluu'] }, "There are no events by 'oluu'."],
  ])('that are unknown are rejected with a suggestion: %j', async (options, message) => {
    await expect(resolve(options)).rejects.toThrow(message);
    await expect(resolve(options)).rejects.toMatchObject({ name: 'OptionError' });
  });

  test('shared by several projects are rejected with the project IDs', async () => {
    const { client } = database();
    await client.project.create({ data: { id: 'twin', name: 'Web shop', description: '' } });
    await expect(resolve({ project: ['Web shop'] })).rejects.toThrow(
      "Several projects are named 'Web shop'. Pass one of these IDs to --project: twin, web-shop.",
    );
    await client.project.delete({ where: { id: 'twin' } });
  });

  test('shared by several authors are rejected with the user IDs', async () => {
    const { client } = database();
    const data = [-7, 99_001, null].map((createdByUserId) => ({
      type: 'feature-updated',
      createdBy: 'two people',
      createdByUserId,
    }));
    await client.event.createMany({ data });
    await expect(resolve({ createdBy: ['two people'] })).rejects.toThrow(
      /^Several users recorded events as 'two people'\. Pass one of these IDs to --created-by: 99001, -7\.$/,
    );
    await client.event.deleteMany({ where: { createdBy: 'two people' } });
  });

  test('of authors without a user ID are accepted', async () => {
    const { client } = database();
    await client.event.create({ data: { type: 'feature-updated', createdBy: 'before IDs' } });
    expect(await resolve({ createdBy: ['before IDs'] })).toEqual({
      createdBy: { is: 'before IDs' },
    });
    await client.event.deleteMany({ where: { createdBy: 'before IDs' } });
  });
});
