import { ADMIN_TOKEN } from '../original.js';
import { type Answer, ask } from './ask.js';

/** The original's admin API for an administrator; an answer that is no success is an error. */
export type OriginalApi = (
  method: string,
  path: string,
  body?: unknown,
  cookie?: string,
) => Promise<Answer>;

export const createOriginalApi =
  (url: string): OriginalApi =>
  async (method, path, body, cookie) => {
    const answer = await ask(`${url}${path}`, {
      method,
      ...(cookie === undefined ? { authorization: ADMIN_TOKEN } : { cookie }),
      ...(body !== undefined && { body }),
    });
    if (answer.status < 300) return answer;
    throw new Error(
      `${method} ${path} was answered ${answer.status}: ${answer.text.slice(0, 500)}`,
    );
  };
