import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Window } from 'happy-dom';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Prisma } from '../../../src/data/db.js';
import { describeWithDemo } from '../../testkit/app.js';
import { expectSilence } from './console-spy.js';
import { bundle, outputAfter, programs, run, typeErrors, writePages } from './frontend-page.js';

const printing = programs.flatMap((block) => {
  const output = outputAfter(block);
  return output === undefined ? [] : [{ ...block, output }];
});

describe('the programs on the pages for frontend developers', () => {
  test('name their files', () => {
    expect(programs.filter(({ file }) => file === undefined)).toEqual([]);
    expect(programs.length).toBeGreaterThan(15);
  });

  test('are free of type errors', { timeout: 120_000 }, () => {
    const { folder, remove } = writePages();
    expect(typeErrors(folder)).toBe('');
    remove();
  });
});

describeWithDemo('the programs on the pages for frontend developers', ({ gateway, database }) => {
  let pages: ReturnType<typeof writePages>;
  beforeAll(() => {
    const { url } = gateway();
    pages = writePages((text) =>
      text
        .replaceAll('http://127.0.0.1:4000', url)
        .replaceAll('ws://127.0.0.1:4000', url.replace(/^http/, 'ws'))
        .replaceAll("'/graphql'", `'${url}/graphql'`)
        // So that the test can close the page.
        .replace(/^createRoot\((.*)\)\.render\($/m, '(globalThis.root = createRoot($1)).render('),
    );
  });
  afterAll(() => pages.remove());

  const record = (author: string) =>
    database().client.$queryRaw(Prisma.sql`
      insert into events (type, created_by, project, feature_name, data)
      values ('feature-updated', ${author}, 'web-shop', 'followed', '{}')`);

  test.each(printing)(
    'print the documented output: $page $file',
    async ({ page, file, output }) => {
      expect(await run(await bundle(join(pages.folder, page, file ?? '')))).toBe(output);
    },
  );

  test.each(['sse.ts', 'ws.ts'])('follow live events: %s', async (file) => {
    const output = run(await bundle(join(pages.folder, 'live.md', file)));
    await expect
      .poll(async () => (await gateway().rest('/metrics')).text)
      .toMatch(/^flaggraph_live_streams 1$/m);
    await record('a-live-author');
    expect(await output).toBe('a-live-author\n');
  });

  describe('that are pages', () => {
    expectSilence();
    const window = new Window();
    const { document } = window;
    /** Shows the end of the list to the page. */
    let reachEnd = () => {};
    class FakeObserver {
      readonly #callback: (entries: { isIntersecting: boolean }[]) => void;
      constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
        this.#callback = callback;
      }
      observe() {
        reachEnd = () => this.#callback([{ isIntersecting: true }]);
      }
      disconnect() {}
    }
    // They stay until the end of this file: React uses them even after a page is closed.
    beforeAll(() => {
      const { navigator } = window;
      const globals = { window, document, navigator, IntersectionObserver: FakeObserver };
      for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    });
    afterEach(() => {
      (globalThis as unknown as { root: { unmount(): void } }).root.unmount();
      document.body.innerHTML = '';
    });

    let opened = 0;
    const open = async (page: string) => {
      document.body.innerHTML = '<div id="root"></div>';
      const module = pathToFileURL(await bundle(join(pages.folder, page, 'src/main.tsx')));
      opened += 1;
      await import(`${module.href}?${opened}`);
    };
    const rows = () =>
      [...document.querySelectorAll('ol > li')].map(({ textContent }) => textContent);
    const choose = (index: number, value: string) => {
      const select = document.querySelectorAll('select')[index];
      if (!select) throw new Error('The page has no such filter.');
      select.value = value;
      select.dispatchEvent(new window.Event('change', { bubbles: true }));
    };
    const countOf = async (filter: string) => {
      const { data } = await gateway().graphql(`{ events(filter: ${filter}) { totalCount } }`);
      return data.events.totalCount;
    };

    test('show an event log with Apollo Client', async () => {
      await open('apollo.md');
      await expect.poll(() => rows().length).toBe(50);
      reachEnd();
      await expect.poll(() => rows().length).toBe(100);
      expect(new Set(rows()).size).toBeGreaterThan(50);

      await record('apollo-author');
      await expect.poll(() => rows()[0]).toContain('apollo-author');
      expect(rows()).toHaveLength(101);
      const total = () => document.querySelector('section > p')?.textContent;
      expect(total()).toBe(`${await countOf('{}')} events`);

      const click = (selector: string) => {
        const found = document.querySelector(selector);
        (found as { click(): void } | null)?.click();
      };
      click('li:nth-child(2) button');
      await expect
        .poll(() => document.querySelector('li:nth-child(2)')?.innerHTML)
        .toMatch(/<code>|<p>[NW]/);
      click('li:nth-child(2) button');

      choose(0, 'mobile');
      choose(2, 'FEATURE_CREATED');
      const filter = '{ projectId: { is: "mobile" }, type: { is: FEATURE_CREATED } }';
      await expect.poll(() => rows().length).toBe(Math.min(await countOf(filter), 50));
      choose(0, '');
      choose(2, '');
      await expect.poll(() => rows().length).toBeGreaterThanOrEqual(100);
      expect(document.querySelector('[role=alert]')).toBeNull();
    });

    test('append a page while the request of an abandoned filter is open', async () => {
      const send = globalThis.fetch;
      vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
        if (String(args[1]?.body).includes('"projectId":{"is":"mobile"}')) await delay(1_000);
        return send(...args);
      });
      await open('apollo.md');
      await expect.poll(() => rows().length).toBe(50);
      choose(0, 'mobile');
      await expect.poll(() => rows().length).toBe(0);
      choose(0, '');
      await expect.poll(() => rows().length).toBe(50);
      reachEnd();
      await expect.poll(() => rows().length).toBe(100);
      vi.stubGlobal('fetch', send);
    });

    test('offer to try again when the first page fails', async () => {
      const send = globalThis.fetch;
      vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
      await open('apollo.md');
      await expect.poll(() => document.querySelector('[role=alert] button')).not.toBeNull();
      vi.stubGlobal('fetch', send);
      (document.querySelector('[role=alert] button') as unknown as { click(): void }).click();
      await expect.poll(() => rows().length).toBe(50);
      await expect.poll(() => document.querySelectorAll('select').length).toBe(4);
      expect(document.querySelector('[role=alert]')).toBeNull();
    });

    test('show an event log with urql', async () => {
      await open('urql.md');
      await expect.poll(() => rows().length).toBe(50);
      for (const length of [100, 150]) {
        await expect.poll(() => document.querySelector('button')).not.toBeNull();
        document.querySelector('button')?.click();
        await expect.poll(() => rows().length).toBe(length);
      }
      await record('urql-author');
      await expect.poll(() => rows()[0]).toContain('urql-author');
      choose(0, 'mobile');
      await expect.poll(() => rows()[0]).not.toContain('urql-author');
      expect(document.querySelector('[role=alert]')).toBeNull();
    });
  });
});
