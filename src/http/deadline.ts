import { TimeoutError } from '../domain/errors.js';

/** Rejects after a timeout and cancels the work. */
export const withDeadline = async <Result>(
  work: Promise<Result>,
  limitMs: number,
  cancel: () => void,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new TimeoutError(`The request timed out after ${limitMs} ms. Request less data.`));
      cancel();
    }, limitMs);
  });
  // Ignores failures after the deadline: the caller has been rejected already.
  work.catch(() => undefined);
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
};
