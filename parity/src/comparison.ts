import { setTimeout as delay } from 'node:timers/promises';
import {
  adopt,
  type CloneRows,
  compareRows,
  type Mark,
  readClone,
  readMark,
  undo,
  withoutAuthors,
} from './clone-rows.js';
import { compareAnswers } from './compare.js';
import type { Exchange } from './exchange.js';
import { type Answer, send, type WireRequest } from './http.js';
import { withLocalSource } from './local-source.js';
import { settleRows } from './newer-rows.js';
import { type ParityRequest, toWire } from './request.js';
import type { Sides } from './sides.js';
import { toView } from './view.js';
import { type FeatureByHand, insertFeature } from './world/features.js';

export type Outcome = {
  request: ParityRequest;
  wire: WireRequest;
  answers: { original: Answer; gateway: Answer };
  /** Ids of deliberate differences, those in words included. */
  met: string[];
  kind: 'agreed' | 'deliberate' | 'failed';
  /** The first difference that is not deliberate. */
  difference?: string;
};

export type Comparison = {
  /** Asks both sides, compares answers and rows, and leaves both databases equal. */
  ask(request: ParityRequest): Promise<Outcome>;
  /** Takes the databases as they are now for where they stand, until `settleDown`. */
  begin(): Promise<void>;
  /** Goes back to where the databases stood before `begin`; answers what did not come back. */
  settleDown(): Promise<string | undefined>;
  /** Called with each clone that stays, while the original still has its own copy. */
  onKept(look: (name: string, project: string) => Promise<void>): void;
};

const QUIET_LOOKS = 2;
const QUIET_GAP_MS = 10;

type Marks = { original: Mark; gateway: Mark };
type RowVerdict = {
  deliberate: string[];
  noted: string[];
  /** The original has made the same copy for the same caller. */
  hasTwin?: boolean;
  difference?: string;
};

export const createComparison = async (sides: Sides): Promise<Comparison> => {
  const { version, world, original, unrestricted, gateway, originalSql, gatewaySql } = sides;
  let epoch = 0;
  const readMarks = async (): Promise<Marks> => ({
    original: await readMark(originalSql),
    gateway: await readMark(gatewaySql),
  });
  let marks = await readMarks();
  if (marks.original.fingerprint !== marks.gateway.fingerprint) {
    throw new Error('the two databases do not hold the same world');
  }
  const marksBefore: Marks[] = [];
  let look: (name: string, project: string) => Promise<void> = async () => undefined;

  const exchangeOf = async (request: ParityRequest): Promise<Exchange> => {
    const wire = toWire(request, world);
    const [fromOriginal, fromGateway] = await Promise.all([
      send(original.url, wire),
      send(gateway.url, wire),
    ]);
    const ask = (url: string) => async (asked: WireRequest) =>
      toView(request.operation, await send(url, asked));
    const views =
      wire.method === 'HEAD'
        ? await viewsOfHead(wire, ask(original.url), ask(gateway.url), fromGateway)
        : {
            original: toView(request.operation, fromOriginal),
            gateway: toView(request.operation, fromGateway),
          };
    return {
      version,
      world,
      epoch,
      request,
      wire,
      answers: { original: fromOriginal, gateway: fromGateway },
      ...views,
      askOriginal: ask(original.url),
      askGateway: ask(gateway.url),
      askUnrestricted: ask(unrestricted.url),
      askWithLocalSource: (asked) =>
        withLocalSource(originalSql, request, () => ask(unrestricted.url)(asked)),
    };
  };

  const newName = async (before: Marks): Promise<string | undefined> => {
    const names = `select feature_name as name from events where id > $1 and type = 'feature-created'`;
    const [theirs] = await originalSql.query<{ name: string }>(names, [
      before.original.lastEventId,
    ]);
    const [ours] = await gatewaySql.query<{ name: string }>(names, [before.gateway.lastEventId]);
    return ours?.name ?? theirs?.name;
  };

  const compareClones = async (
    name: string,
    source: string,
    before: Marks,
    hasOtherAuthor: boolean,
  ): Promise<RowVerdict> => {
    const [theirs, ours] = await Promise.all([
      readClone(originalSql, name, before.original),
      readClone(gatewaySql, name, before.gateway),
    ]);
    const left = await settleRows(gatewaySql, version, source, {
      theirs: theirs.rows,
      ours: ours.rows,
    });
    const authorless = hasOtherAuthor ? withoutAuthors : (rows: CloneRows) => rows;
    const difference = ours.fault ?? compareRows(authorless(left.theirs), authorless(left.ours));
    const isReordered = theirs.eventTypes.join() !== ours.eventTypes.join();
    return {
      deliberate: [],
      noted: [...left.met, ...(isReordered || ours.eventTypes.length > 2 ? ['D-CLONE-12'] : [])],
      hasTwin: !hasOtherAuthor,
      ...(difference && { difference }),
    };
  };

  const judgeRows = async (
    exchange: Exchange,
    before: Marks,
    name: string | undefined,
    hasOtherAuthor = false,
  ): Promise<RowVerdict> => {
    const now = await readMarks();
    const haveTheyWritten = now.original.fingerprint !== before.original.fingerprint;
    const haveWeWritten = now.gateway.fingerprint !== before.gateway.fingerprint;
    if (exchange.gateway.status === 200) {
      if (!haveWeWritten || name === undefined) {
        return {
          deliberate: [],
          noted: [],
          difference: 'rows: the gateway answers 200 and has written nothing',
        };
      }
      // Refused there for a known reason and rolled back, so there is nothing to compare with.
      const isRolledBack = !haveTheyWritten && exchange.original.status >= 400;
      if (isRolledBack) return { deliberate: [], noted: [] };
      return compareClones(name, exchange.request.clone?.source ?? '', before, hasOtherAuthor);
    }
    return {
      deliberate: haveTheyWritten && exchange.original.status >= 400 ? ['D-CLONE-4'] : [],
      noted: [],
      ...(haveWeWritten && {
        difference: 'rows: the gateway refuses the clone and has written something',
      }),
    };
  };

  const goBack = async (to: Marks, name?: string): Promise<void> => {
    await Promise.all([undo(originalSql, name, to.original), undo(gatewaySql, name, to.gateway)]);
  };

  /** What a failed clone of the original had begun goes on after the answer. */
  const awaitQuiet = async (): Promise<void> => {
    let quiet = 0;
    let before = '';
    while (quiet < QUIET_LOOKS) {
      const { busy } = await originalSql.one<{ busy: number }>(
        `select count(*)::int as busy from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      );
      const { fingerprint } = await readMark(originalSql);
      quiet = busy === 0 && fingerprint === before ? quiet + 1 : 0;
      before = fingerprint;
      await delay(QUIET_GAP_MS);
    }
  };

  const askClone = async (request: ParityRequest): Promise<Outcome> => {
    const before = marks;
    const exchange = await exchangeOf(request);
    const answers = await compareAnswers(exchange);
    if (isHalfDone(exchange)) await awaitQuiet();
    const name = await newName(before);
    const isOpen = exchange.gateway.status === 200 || exchange.original.status < 400;
    // A read-only method on the path of a clone is no clone.
    const rows =
      request.method === 'POST' || name !== undefined
        ? await judgeRows(exchange, before, name, answers.hasOtherAuthor)
        : { deliberate: [], noted: [] };
    const difference = answers.difference ?? rows.difference;

    if (request.keep && isOpen && name !== undefined && exchange.gateway.status === 200) {
      if (!difference && rows.hasTwin) await look(name, request.clone?.project ?? '');
      await adopt(originalSql, gatewaySql, name, before.gateway);
      marks = await readMarks();
      epoch++;
    } else {
      await goBack(before, name);
    }
    return outcomeOf(exchange, {
      deliberate: [...answers.deliberate, ...rows.deliberate],
      noted: [...answers.noted, ...rows.noted],
      ...(difference && { difference }),
    });
  };

  const askWithSource = async (request: ParityRequest, source: FeatureByHand): Promise<Outcome> => {
    const before = marks;
    await Promise.all([insertFeature(originalSql, source), insertFeature(gatewaySql, source)]);
    try {
      marks = await readMarks();
      return await askClone(request);
    } finally {
      await goBack(before, source.name);
      marks = before;
    }
  };

  return {
    ask: async (request) => {
      if (request.source) return askWithSource(request, request.source);
      if (request.operation === 'clone') return askClone(request);
      const exchange = await exchangeOf(request);
      return outcomeOf(exchange, await compareAnswers(exchange));
    },
    begin: async () => {
      marksBefore.push(marks);
      marks = await readMarks();
      epoch++;
    },
    settleDown: async () => {
      marks = marksBefore.pop() ?? marks;
      await goBack(marks);
      epoch++;
      const now = await readMarks();
      if (now.original.fingerprint !== marks.original.fingerprint) {
        return "the original's database has not come back to where it was";
      }
      if (now.gateway.fingerprint !== marks.gateway.fingerprint) {
        return "the gateway's database has not come back to where it was";
      }
      return undefined;
    },
    onKept: (given) => {
      look = given;
    },
  };
};

type Ask = Exchange['askOriginal'];

/** What stands behind a HEAD is the answer to the GET; ours must differ from that by its body only. */
const viewsOfHead = async (
  wire: WireRequest,
  askOriginal: Ask,
  askGateway: Ask,
  head: Answer,
): Promise<Pick<Exchange, 'original' | 'gateway'>> => {
  const get = { ...wire, method: 'GET' };
  const [original, gateway] = await Promise.all([askOriginal(get), askGateway(get)]);
  const isSame =
    head.status === gateway.status &&
    head.text === '' &&
    head.headers['content-type'] === gateway.contentType;
  return {
    original,
    gateway: isSame ? gateway : { ...gateway, body: 'another answer than to GET' },
  };
};

/** Refused for something that is found out only after the feature was written, or may be. */
const isHalfDone = ({ request, original }: Exchange): boolean =>
  request.method === 'POST' &&
  original.status >= 400 &&
  ![401, 409, 413, 415, 503].includes(original.status);

const outcomeOf = (exchange: Exchange, { deliberate, noted, difference }: RowVerdict): Outcome => {
  const { request, wire, answers } = exchange;
  const kind = difference ? 'failed' : deliberate.length > 0 ? 'deliberate' : 'agreed';
  return {
    request,
    wire,
    answers,
    met: [...deliberate, ...noted],
    kind,
    ...(difference && { difference }),
  };
};
