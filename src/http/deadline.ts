import { TimeoutError } from '../domain/errors.js';
import { createTurns } from './turns.js';

/** Per turn of the event loop: hundreds of requests that arrived together expire together. */
const EXPIRE_TURN_MS = 2;
const expiring = createTurns(EXPIRE_TURN_MS);

/** Rejects after a timeout and cancels the work. */
export const withDeadline = async <Result>(
  work: Promise<Result>,
  limitMs: number,
  cancel: () => void,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const expire = () => {
      reject(new TimeoutError(`The request timed out after ${limitMs} ms. Request less data.`));
      cancel();
    };
    timer = setTimeout(() => expiring.runLater('', expire), limitMs);
  });
  // Ignores failures after the deadline: the caller has been rejected already.
  work.catch(() => undefined);
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
};
