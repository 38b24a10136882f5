import { setTimeout as delay } from 'node:timers/promises';
import { poll } from '../admin-ui/poll.js';
import { createUpstreamApi } from '../coexistence/upstream-api.js';
import type { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

const LIVE_LIMIT_MS = 2_000;
const RESUME_LIMIT_MS = 30_000;
const TOTAL_LIMIT_MS = 5_000;
const CHANGES = 5;
/** Changes before, while and after the gateway is stopped. */
const ROUNDS = ['before', 'meanwhile', 'after'] as const;
const CHANGES_PER_ROUND = 3;

/** Records, in the page, when a text first appears. */
const watchFor = (text: string) => `
  new Promise((resolve) => {
    const look = () => document.querySelector('.event-rows')?.textContent.includes('${text}')
      && (observer.disconnect(), resolve(Date.now()));
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    setTimeout(() => (observer.disconnect(), resolve(0)), ${5 * LIVE_LIMIT_MS});
  })`;

/** Creates a feature with Unleash itself; returns when the request was sent. */
const createFeature = async (stage: Stage, name: string): Promise<number> => {
  const sentAt = Date.now();
  const api = createUpstreamApi(stage.unleash.url);
  await api('POST', '/api/admin/projects/default/features', { name, type: 'release' });
  return sentAt;
};

const openLog = async ({ page, open }: Visitor): Promise<void> => {
  await open('/?type=FEATURE_CREATED');
  await page.locator('.live[data-state=open]').waitFor();
};

/** Measures from the request to Unleash until the row is in the page. */
export const checkLiveEvents = async (stage: Stage, visitor: Visitor): Promise<void> => {
  const times: number[] = [];
  await openLog(visitor);
  for (let index = 0; index < CHANGES; index += 1) {
    const name = `live-${index}`;
    const shown = visitor.page.evaluate(watchFor(name)) as Promise<number>;
    const sentAt = await createFeature(stage, name);
    const shownAt = await shown;
    times.push(shownAt === 0 ? Number.POSITIVE_INFINITY : shownAt - sentAt);
  }
  const slowest = Math.max(...times);
  await visitor.check(
    `an event recorded by Unleash appears within ${LIVE_LIMIT_MS} ms: ${times.join(', ')} ms`,
    async () => (slowest <= LIVE_LIMIT_MS ? undefined : `took ${slowest} ms`),
  );
  await visitor.picture('live-events');
};

/** Names of features in the shown rows, newest first. */
const shownNames = async ({ page }: Visitor, prefix: string): Promise<string[]> => {
  const rows = await page.locator('.event-row').evaluateAll((list) =>
    list
      .map((row) => ({
        position: Number(row.getAttribute('aria-posinset')),
        text: row.textContent ?? '',
      }))
      .sort((one, other) => one.position - other.position)
      .map(({ text }) => text),
  );
  const pattern = new RegExp(`${prefix}[a-z]+-\\d`);
  return rows.flatMap((text) => pattern.exec(text)?.[0] ?? []);
};

const totalOf = async ({ page }: Visitor): Promise<number> => {
  const total = page.locator('.total').filter({ hasText: /\d/ });
  return Number((await total.innerText()).replaceAll(/\D/g, ''));
};

/** Restarts the gateway under an open page while Unleash records events. */
export const checkRestart = async (stage: Stage, visitor: Visitor): Promise<void> => {
  const prefix = 'resumed-';
  const names: string[] = [];
  const change = async (round: (typeof ROUNDS)[number]) => {
    for (let index = 0; index < CHANGES_PER_ROUND; index += 1) {
      const name = `${prefix}${round}-${index}`;
      names.unshift(name);
      await createFeature(stage, name);
    }
  };

  await openLog(visitor);
  const totalBefore = await totalOf(visitor);
  await change('before');
  await stage.stopGateway();
  await change('meanwhile');
  await stage.startGateway();
  const startedAt = Date.now();
  await change('after');
  const isComplete = await poll(RESUME_LIMIT_MS, async () =>
    (await shownNames(visitor, prefix)).length >= names.length ? true : undefined,
  );
  const resumedMs = Date.now() - startedAt;
  // An event that is sent again would follow at once.
  await delay(500);
  const shown = await shownNames(visitor, prefix);
  const [is, should] = [shown.join(', '), names.join(', ')];
  await visitor.check(
    `after a restart, all ${names.length} events are shown once and in order, ${resumedMs} ms after the start`,
    async () => (isComplete && is === should ? undefined : `shown: ${is}; recorded: ${should}`),
  );
  let added = 0;
  const isCounted = await poll(TOTAL_LIMIT_MS, async () => {
    added = (await totalOf(visitor)) - totalBefore;
    return added === names.length || undefined;
  });
  await visitor.check('after a restart, the total counts each event once', async () =>
    isCounted ? undefined : `${added} instead of ${names.length}`,
  );
  await visitor.picture('after-restart');
};
