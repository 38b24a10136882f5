import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeWithDemo, startGateway } from '../../testkit/app.js';

const page = readFileSync(
  new URL('../../../docs/guides/migrate-from-rest.md', import.meta.url),
  'utf8',
);
const CLONE = '/api/admin/projects/default/features/checkout-one-page/clone';
const PATHS: [path: string, section: string][] = [
  ['/api/admin/search/events?limit=1', 'search-events'],
  ['/api/admin/projects/default/health-report', 'health-report'],
  ['/api/admin/addons/1/events', 'integration-events'],
  [CLONE, 'clone-feature'],
];

describeWithDemo('REST responses', ({ gateway, database }) => {
  test.each(PATHS)('to %s link to the section of their query', async (path, section) => {
    const link = `</docs/guides/migrate-from-rest#${section}>; rel="service-doc"; type="text/html"`;
    const body = { name: `copy-to-follow-${section}` };
    const accepted = await gateway().rest(path, path === CLONE ? { body } : {});
    expect(accepted.status).toBe(200);
    expect(accepted.headers.get('link')).toContain(link);
    const rejected = await gateway().rest(path, { token: null, ...(path === CLONE && { body }) });
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('link')).toContain(link);

    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, text = '']) =>
      text.toLowerCase().replaceAll(' ', '-'),
    );
    expect(headings).toContain(section);
  });

  test('link below the base path too, and not from unknown paths', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags' });
    const { headers } = await below.rest('/api/admin/search/events?limit=1');
    const unknownPath = await below.rest('/api/admin/nothing');
    await below.stop();
    expect(headers.get('link')).toContain('</flags/docs/guides/migrate-from-rest#search-events>');
    expect(unknownPath.headers.get('link')).toBeNull();
  });
});
