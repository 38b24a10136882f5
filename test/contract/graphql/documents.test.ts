import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { createRouteName } from '../../../src/http/route-name.js';
import { REST_PATHS } from '../../../src/rest/router.js';
import { DEMO_DAY, describeWithDemo } from '../../testkit/app.js';

// Ages and usage are those of the day on which the demo world is loaded.
vi.useFakeTimers({ toFake: ['Date'], now: DEMO_DAY });

type Block = { file: string; language: string; text: string };

const ROOT = new URL('../../../', import.meta.url);
const QUESTIONS = 'docs/guides/questions/';
const files = [
  'README.md',
  'docs/quick-start.md',
  'docs/reference/rest.md',
  'docs/guides/clients.md',
  'docs/guides/migrate-from-rest.md',
  ...readdirSync(new URL(QUESTIONS, ROOT))
    .sort()
    .map((name) => `${QUESTIONS}${name}`),
];

const blocksOf = (file: string): Block[] =>
  [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']) => ({ file, language, text }),
  );

/** Each example with the response printed below it, if any. */
const examples = files.flatMap((file) => {
  const blocks = blocksOf(file);
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    const response = next?.language === 'json' ? JSON.parse(next.text) : undefined;
    return block.language === 'json' ? [] : [{ ...block, answer: response }];
  });
});
const queries = examples.filter(({ language }) => language === 'graphql');
const curls = examples.filter(({ text }) => text.startsWith('curl '));

/** Timestamps of the demo world are relative to the day it is loaded, and each clone has new IDs. */
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

describeWithDemo('the examples in the documentation', ({ gateway }) => {
  test('cover every operation in both transports', () => {
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
    'return the printed answer for a query ($file): $text',
    async ({ text, answer: response }) => {
      const { data, errors } = await gateway().graphql(text);
      expect(errors).toBeUndefined();
      expect(withoutTimes({ data })).toEqual(withoutTimes(response));
    },
  );

  test.each(curls)(
    'return the printed answer for a REST call ($file): $text',
    async ({ text, answer: response }) => {
      const { headers, body, path } = readCurl(text);
      const result = await gateway().rest(path, {
        token: null,
        headers,
        ...(body !== undefined && { rawBody: body }),
      });
      expect(result.status).toBe(200);
      if (response) expect(withoutTimes(result.body)).toEqual(withoutTimes(response));
    },
  );
});
