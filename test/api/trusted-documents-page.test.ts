import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeDemoOnBothDatabases } from '../testkit/app.js';
import { makeFolder } from '../testkit/documents-folder.js';

const read = (name: string) =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');

/** Every call of a page, and the answer printed below it. */
const callsOf = (page: string) =>
  [...read(page).matchAll(/^```sh\n(curl [\s\S]*?)```\n+```json\n([\s\S]*?)```$/gm)].map(
    ([, command = '', answer = '']) => ({
      page,
      headers: Object.fromEntries(
        [...command.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name = '', value = '']) => [
          name.toLowerCase(),
          value,
        ]),
      ),
      path: /'http:\/\/127\.0\.0\.1:4000([^']*)'/.exec(command)?.[1] ?? '',
      rawBody: /-d '([^']*)'/.exec(command)?.[1],
      answer: JSON.parse(answer),
    }),
  );

const [, file = '', text = ''] =
  /cat > documents\/(\S+) <<'EOF'\n([\s\S]*?)EOF\n/.exec(read('trusted-documents')) ?? [];

describeDemoOnBothDatabases(
  'the pages on trusted documents and cost',
  ({ gateway }) => {
    const calls = [...callsOf('trusted-documents'), ...callsOf('cost')];

    test('have calls that run', () => {
      expect(calls.map(({ page }) => page)).toEqual([
        'trusted-documents',
        'trusted-documents',
        'cost',
      ]);
    });

    test.each(calls)('$page: $path $rawBody', async ({ path, rawBody, headers, answer }) => {
      const { body } = await gateway().rest(path, {
        token: null,
        headers,
        ...(rawBody !== undefined && { rawBody }),
      });
      expect(body).toEqual(answer);
    });
  },
  { TRUSTED_DOCUMENTS: makeFolder({ [file]: text }) },
);
