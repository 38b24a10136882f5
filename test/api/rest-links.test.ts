import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeDemoOnBothDatabases, startGateway } from '../testkit/app.js';

const page = readFileSync(new URL('../../docs/migrate-from-rest.md', import.meta.url), 'utf8');
const CLONE = '/api/admin/projects/default/features/checkout-one-page/clone';
const PATHS: [path: string, section: string][] = [
  ['/api/admin/search/events?limit=1', 'search-events'],
  ['/api/admin/projects/default/health-report', 'health-report'],
  ['/api/admin/addons/1/events', 'integration-events'],
  [CLONE, 'clone-feature'],
];

describeDemoOnBothDatabases('answers of REST', ({ gateway, database }) => {
  test.each(PATHS)('to %s lead to the section of their query', async (path, section) => {
    const link = `</docs/migrate-from-rest#${section}>; rel="service-doc"; type="text/html"`;
    const body = { name: `copy-to-follow-${section}` };
    const answered = await gateway().rest(path, path === CLONE ? { body } : {});
    expect(answered.status).toBe(200);
    expect(answered.headers.get('link')).toContain(link);
    const refused = await gateway().rest(path, { token: null, ...(path === CLONE && { body }) });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('link')).toContain(link);

    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, text = '']) =>
      text.toLowerCase().replaceAll(' ', '-'),
    );
    expect(headings).toContain(section);
  });

  test('lead there below the base path too, and from nowhere else', async () => {
    const below = await startGateway(database(), { BASE_PATH: '/flags' });
    const { headers } = await below.rest('/api/admin/search/events?limit=1');
    const elsewhere = await below.rest('/api/admin/nothing');
    await below.stop();
    expect(headers.get('link')).toContain('</flags/docs/migrate-from-rest#search-events>');
    expect(elsewhere.headers.get('link')).toBeNull();
  });
});
