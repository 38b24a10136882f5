import { firstDifference } from '../diff.js';
import type { Exchange, Settled } from '../exchange.js';
import type { WireRequest } from '../http.js';
import { type Body, isBody, isError, type View } from '../view.js';

/** The gateway's answer is the one expected, and nothing of it is in the original's. */
export const accept = ({ gateway }: Exchange): Settled => ({ original: gateway });

/** What the original answers to another request in place of this one; undefined when that is the same. */
export const askAgain = async (
  { original, askOriginal }: Exchange,
  wire: WireRequest,
): Promise<Settled | undefined> => {
  const answered = await askOriginal(wire);
  return firstDifference(original, answered) ? { original: answered } : undefined;
};

/** The original fails with 500 and the gateway says that the request is at fault. */
export const isBlamedOnCaller = ({ original, gateway }: Exchange): boolean =>
  isError(original, 500, 'UnknownError') && isError(gateway, 400, 'BadDataError');

export const areBothBadData = ({ original, gateway }: Exchange): boolean =>
  isError(original, 400, 'BadDataError') && isError(gateway, 400, 'BadDataError');

export const withBody = (view: View, change: (body: Body) => Body): View =>
  isBody(view.body) ? { ...view, body: change(view.body) } : view;

export const hasOnlyKeys = (body: unknown, ...keys: string[]): body is Body =>
  isBody(body) && Object.keys(body).join() === keys.join();

export const listIn = (view: View, key: string): unknown[] | undefined => {
  const list = isBody(view.body) ? view.body[key] : undefined;
  return Array.isArray(list) ? list : undefined;
};
