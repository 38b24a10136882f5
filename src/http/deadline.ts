import { TimeoutError } from '../domain/errors.js';

/** Gives up waiting after a while; the work itself ends by the database's own time limit. */
export const withDeadline = async <Result>(
  work: Promise<Result>,
  limitMs: number,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new TimeoutError(`The request was given up after ${limitMs} ms. Ask for less at once.`),
      );
    }, limitMs);
  });
  // Work that fails after its deadline has nobody left to tell.
  work.catch(() => undefined);
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
};
