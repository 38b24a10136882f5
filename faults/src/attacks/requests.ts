import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call } from '../clients/http.js';
import type { AttackResult } from './attack.js';

const ABANDON_MS = 60_000;
const SHOWN_BYTES = 2_000;

/** Why a request was rejected. An invalid request would not be an attack. */
const reasonOf = (head: string): string => {
  const [, code] = /"code":"(\w+)"/.exec(head) ?? [];
  const [, message] = /"message":"([^"]{0,60})/.exec(head) ?? [];
  return head === '' ? '' : ` ${code ?? message ?? head.slice(0, 60)}`;
};

/** Sends a request and discards the response body without parsing it; returns the status or the error code. */
const fire = (url: URL, { path, method = 'GET', headers = {}, body }: Call, agent: Agent) =>
  new Promise<string>((resolve) => {
    const outgoing = request(
      { hostname: url.hostname, port: url.port, path, method, headers, agent },
      (incoming) => {
        let head = '';
        incoming.on('data', (chunk: Buffer) => {
          if (incoming.statusCode === 400) head = `${head}${chunk}`.slice(0, SHOWN_BYTES);
        });
        incoming.on('error', (error) => resolve(error.message));
        incoming.on('end', () => resolve(`${incoming.statusCode}${reasonOf(head)}`));
      },
    );
    outgoing.setTimeout(ABANDON_MS, () => outgoing.destroy());
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.end(body);
  });

/** Sends many requests at once, and again when all have ended and a pause is over, until the attack ends. */
export const burst = async (
  url: string,
  signal: AbortSignal,
  { size, everyMs }: { size: number; everyMs: number },
  next: (index: number) => Call,
): Promise<AttackResult> => {
  const target = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: size });
  const responses: Record<string, number> = {};
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  for (let sent = 0; !signal.aborted; sent += size) {
    const outcomes = Array.from({ length: size }, async (_, index) => {
      const outcome = await fire(target, next(sent + index), agent);
      responses[outcome] = (responses[outcome] ?? 0) + 1;
    });
    await Promise.race([Promise.all([...outcomes, delay(everyMs)]), aborted]);
  }
  agent.destroy();
  return { responses };
};

/** Runs concurrent loops of sequential requests until all are sent or the attack ends. */
export const loop = async (
  url: string,
  signal: AbortSignal,
  { loops, count = Number.POSITIVE_INFINITY }: { loops: number; count?: number | undefined },
  next: (index: number) => Call,
): Promise<AttackResult> => {
  const target = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: loops });
  const responses: Record<string, number> = {};
  let sent = 0;
  const run = async () => {
    while (sent < count && !signal.aborted) {
      sent += 1;
      const outcome = await fire(target, next(sent), agent);
      responses[outcome] = (responses[outcome] ?? 0) + 1;
      // The server has exited.
      if (outcome === 'ECONNREFUSED') return;
    }
  };
  const running = Promise.all(Array.from({ length: loops }, run));
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  await Promise.race([running, aborted]);
  agent.destroy();
  return { responses };
};
