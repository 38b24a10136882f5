import { get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sendGraphQL } from './http.js';

const QUERY = `subscription ($after: String) { events(after: $after) { cursor node { id data } } }`;
const RECONNECT_MS = 200;
const [COMPLETE, CUT_OFF] = ['complete', 'cut off'];

export type Follower = {
  /** The `mark` of each received event, in order of arrival. */
  marks: readonly string[];
  /** How each opened stream ended: `complete` or `cut off`. */
  endings: readonly string[];
  isOpen(): boolean;
  stop(): Promise<void>;
};

type Message = {
  data?: { events?: { cursor: string; node: { data: { mark?: string } | null } } };
  errors?: { message: string }[];
};

/**
 * Follows the event log as recommended to clients: over server-sent events, reconnecting from the last cursor. `urlNow`
 * returns the server to connect to next.
 */
export const startFollower = (
  urlNow: () => string,
  token: string,
  initialCursor: string | null,
): Follower => {
  const marks: string[] = [];
  const endings: string[] = [];
  let cursor = initialCursor;
  let isStopped = false;
  let current: IncomingMessage | undefined;

  const receive = (text: string): void => {
    const message = JSON.parse(text) as Message;
    const edge = message.data?.events;
    if (!edge) return;
    cursor = edge.cursor;
    const mark = edge.node.data?.mark;
    if (mark !== undefined) marks.push(mark);
  };

  const connectOnce = (): Promise<string> =>
    new Promise((resolve) => {
      const search = new URLSearchParams({
        query: QUERY,
        variables: JSON.stringify({ after: cursor }),
      });
      const outgoing = get(
        `${urlNow()}/graphql?${search}`,
        { headers: { accept: 'text/event-stream', authorization: token }, agent: false },
        (incoming) => {
          current = incoming;
          let rest = '';
          let isComplete = false;
          const end = () => {
            current = undefined;
            resolve(
              incoming.statusCode !== 200
                ? `${incoming.statusCode}`
                : isComplete
                  ? COMPLETE
                  : CUT_OFF,
            );
          };
          incoming.setEncoding('utf8').on('data', (text: string) => {
            const messages = (rest + text).split('\n\n');
            rest = messages.pop() ?? '';
            for (const message of messages) {
              if (/^event: *complete/m.test(message)) isComplete = true;
              const [, data] = /^data: ?(\{.*)$/m.exec(message) ?? [];
              if (data !== undefined && /^event: *next/m.test(message)) receive(data);
            }
          });
          incoming.on('end', end).on('error', end).on('close', end);
        },
      );
      outgoing.on('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? 'error'));
    });

  const loop = (async () => {
    while (!isStopped) {
      const ending = await connectOnce();
      if (isStopped) break;
      // A rejected connection is not a stream; the next attempt follows.
      if (ending === COMPLETE || ending === CUT_OFF) endings.push(ending);
      await delay(RECONNECT_MS);
    }
  })();

  return {
    marks,
    endings,
    isOpen: () => current !== undefined && current.statusCode === 200,
    stop: async () => {
      isStopped = true;
      current?.destroy();
      await Promise.race([loop, delay(2_000)]);
    },
  };
};

/** Lost and repeated events of a follower. */
export const exactlyOnce = (follower: Follower, expected: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  for (const mark of follower.marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return [
    ...expected.filter((mark) => !counts.has(mark)).map(() => 'lost'),
    ...expected.filter((mark) => (counts.get(mark) ?? 0) > 1).map(() => 'repeated'),
  ];
};

/** A cursor after all current events. */
export const cursorNow = async (url: string, token: string): Promise<string | null> => {
  const { text } = await sendGraphQL(url, '{ eventLog { cursor } }', { token });
  return JSON.parse(text).data.eventLog.cursor;
};

/** Waits until every follower has received all expected events, or until the timeout. */
export const untilArrived = async (
  followers: readonly Follower[],
  expected: readonly string[],
  limitMs = 15_000,
): Promise<void> => {
  const hasAllMarks = ({ marks }: Follower) => {
    const arrived = new Set(marks);
    return expected.every((mark) => arrived.has(mark));
  };
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await delay(100)) {
    if (followers.every(hasAllMarks)) return;
  }
};
