import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../../parity/src/world/sql.js';
import type { Case, Question } from '../cases/case.js';
import type { Name } from '../contenders/contender.js';
import type { Draw } from '../draw.js';
import type { BenchRequest, Exchange } from './load.js';

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const shorten = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing';

const keyOf = ({ path, body }: BenchRequest): string => `${path} ${JSON.stringify(body)}`;

export type Verdict = {
  wrong: number /** The first wrong response, in one line. */;
  example: string | null;
};

/**
 * Sends the questions of a case and checks all responses of a contender. Responses are only compared as text while they
 * are measured; those with a new text are checked afterwards, so that checking does not take time from the contenders.
 */
export const createVerifier = (test: Case, name: Name, sql: Sql) => {
  const questions = new Map<string, Question>();
  /** Correct responses. */
  const known = new Map<string, string>();
  /** How often each unchecked response to a question occurred. */
  const unchecked = new Map<string, Map<string, number>>();

  const isCorrect = (body: string, question: Question, expected: unknown): boolean => {
    try {
      return isDeepStrictEqual(question.readers[name]?.(parse(body)), expected);
    } catch {
      return false;
    }
  };

  const requestOf = (question: Question): BenchRequest => {
    const request = question.requests[name];
    if (!request) throw new Error(`${test.id} has no request for ${name}`);
    return request;
  };

  return {
    /** Sends questions drawn with `draw`. */
    exchange: (draw: Draw): Exchange => ({
      next: () => {
        const question = test.drawQuestion(draw);
        const request = requestOf(question);
        questions.set(keyOf(request), question);
        return request;
      },
      onResponse: (request, body) => {
        const key = keyOf(request);
        if (known.get(key) === body) return;
        const bodies = unchecked.get(key) ?? new Map<string, number>();
        unchecked.set(key, bodies.set(body, (bodies.get(body) ?? 0) + 1));
      },
    }),
    /** Checks the responses since the last time. */
    verify: async (): Promise<Verdict> => {
      const verdict: Verdict = { wrong: 0, example: null };
      for (const [key, bodies] of unchecked) {
        const question = questions.get(key);
        if (!question) continue;
        const expected = await question.expect(sql);
        for (const [body, count] of bodies) {
          if (isCorrect(body, question, expected)) known.set(key, body);
          else {
            verdict.wrong += count;
            verdict.example ??= `${key} returned ${shorten(parse(body))} instead of ${shorten(expected)}`;
          }
        }
      }
      unchecked.clear();
      return verdict;
    },
    /** Number of different questions so far. */
    questionCount: () => questions.size,
  };
};
