import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeWithDemo } from '../../testkit/app.js';
import { makeFolder } from '../../testkit/documents-folder.js';

const read = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8');

/** Every call of a page, with the response printed below it. */
const callsOf = (page: string) =>
  [...read(page).matchAll(/^```sh\n(curl [\s\S]*?)```\n+```json\n([\s\S]*?)```$/gm)].map(
    ([, command = '', response = '']) => ({
      page,
      headers: Object.fromEntries(
        [...command.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name = '', value = '']) => [
          name.toLowerCase(),
          value,
        ]),
      ),
      path: /'http:\/\/127\.0\.0\.1:4000([^']*)'/.exec(command)?.[1] ?? '',
      rawBody: /-d '([^']*)'/.exec(command)?.[1],
      answer: JSON.parse(response),
    }),
  );

const [, file = '', text = ''] =
  /cat > documents\/(\S+) <<'EOF'\n([\s\S]*?)EOF\n/.exec(read('guides/trusted-documents')) ?? [];

describeWithDemo(
  'the pages on trusted documents and cost',
  ({ gateway }) => {
    const calls = [...callsOf('guides/trusted-documents'), ...callsOf('reference/cost')];

    test('contain calls', () => {
      expect(calls.map(({ page }) => page)).toEqual([
        'guides/trusted-documents',
        'guides/trusted-documents',
        'reference/cost',
      ]);
    });

    test.each(calls)(
      '$page: $path $rawBody',
      async ({ path, rawBody, headers, answer: response }) => {
        const { body } = await gateway().rest(path, {
          token: null,
          headers,
          ...(rawBody !== undefined && { rawBody }),
        });
        expect(body).toEqual(response);
      },
    );
  },
  { TRUSTED_DOCUMENTS: makeFolder({ [file]: text }) },
);
