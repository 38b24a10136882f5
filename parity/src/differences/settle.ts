import { firstDifference } from '../diff.js';
import type { Exchange, Settled } from '../exchange.js';
import type { WireRequest } from '../http.js';
import { type Body, isBody, isError, type View } from '../view.js';

/** The gateway's answer is the one expected, and nothing of it is in upstream's. */
export const accept = ({ gateway }: Exchange): Settled => ({ upstream: gateway });

/** What upstream answers to another request in place of this one; undefined when that is the same. */
export const resend = async (
  { upstream, sendToUpstream }: Exchange,
  wire: WireRequest,
): Promise<Settled | undefined> => {
  const responded = await sendToUpstream(wire);
  return firstDifference(upstream, responded) ? { upstream: responded } : undefined;
};

/** Upstream fails with 500 and the gateway says that the request is at fault. */
export const isClientError = ({ upstream, gateway }: Exchange): boolean =>
  isError(upstream, 500, 'UnknownError') && isError(gateway, 400, 'BadDataError');

export const areBothBadData = ({ upstream, gateway }: Exchange): boolean =>
  isError(upstream, 400, 'BadDataError') && isError(gateway, 400, 'BadDataError');

export const withBody = (view: View, change: (body: Body) => Body): View =>
  isBody(view.body) ? { ...view, body: change(view.body) } : view;

export const hasOnlyKeys = (body: unknown, ...keys: string[]): body is Body =>
  isBody(body) && Object.keys(body).join() === keys.join();

export const listIn = (view: View, key: string): unknown[] | undefined => {
  const list = isBody(view.body) ? view.body[key] : undefined;
  return Array.isArray(list) ? list : undefined;
};
