import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRouteName } from '../../src/http/route-name.js';
import { REST_PATHS } from '../../src/rest/router.js';
import { describeDemoOnBothDatabases } from '../testkit/app.js';

type Block = { file: string; language: string; text: string };

const ROOT = new URL('../../', import.meta.url);
const QUESTIONS = 'docs/questions/';
const files = [
  'README.md',
  'docs/clients.md',
  'docs/migrate-from-rest.md',
  ...readdirSync(new URL(QUESTIONS, ROOT))
    .sort()
    .map((name) => `${QUESTIONS}${name}`),
];

const blocksOf = (file: string): Block[] =>
  [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']) => ({ file, language, text }),
  );

/** Each example together with the answer printed below it, if there is one. */
const examples = files.flatMap((file) => {
  const blocks = blocksOf(file);
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    const answer = next?.language === 'json' ? JSON.parse(next.text) : undefined;
    return block.language === 'json' ? [] : [{ ...block, answer }];
  });
});
const queries = examples.filter(({ language }) => language === 'graphql');
const curls = examples.filter(({ text }) => text.startsWith('curl '));

/** The demo world is laid out relative to the day it is loaded, and a clone has ids of its own. */
const withoutTimes = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>'),
  );

const readCurl = (command: string) => {
  const headers = [...command.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name = '', value]) => [
    name.toLowerCase(),
    value,
  ]);
  const body = /-d '([^']*)'/.exec(command)?.[1];
  const path = /'http:\/\/127\.0\.0\.1:4000([^']*)'/.exec(command)?.[1] ?? '';
  return { headers: Object.fromEntries(headers) as Record<string, string>, body, path };
};

describeDemoOnBothDatabases('the examples of the documents', ({ gateway }) => {
  test('there are examples of every operation in both forms', () => {
    const routeName = createRouteName(REST_PATHS);
    const routes = curls.map(({ text }) => routeName(readCurl(text).path.replace(/\?.*/s, '')));
    expect(REST_PATHS.filter((path) => !routes.includes(path))).toEqual([
      '/api/admin/openapi.json',
    ]);
    const fields = [/\bevents\(/, /\bhealth \{/, /\bintegrationEvents\(/, /\bcloneFeature\(/];
    for (const field of fields) {
      expect(queries.filter(({ text }) => field.test(text)).length).toBeGreaterThan(0);
    }
  });

  test.each(queries)(
    'a query gives the answer printed below it ($file): $text',
    async ({ text, answer }) => {
      const { data, errors } = await gateway().graphql(text);
      expect(errors).toBeUndefined();
      expect(withoutTimes({ data })).toEqual(withoutTimes(answer));
    },
  );

  test.each(curls)(
    'a REST call gives the answer printed below it ($file): $text',
    async ({ text, answer }) => {
      const { headers, body, path } = readCurl(text);
      const result = await gateway().rest(path, {
        token: null,
        headers,
        ...(body !== undefined && { rawBody: body }),
      });
      expect(result.status).toBe(200);
      if (answer) expect(withoutTimes(result.body)).toEqual(withoutTimes(answer));
    },
  );
});
