import { firstDifference } from '../diff.js';
import type { Exchange, Settled } from '../exchange.js';
import type { WireRequest } from '../http.js';
import { type Body, isBody, isError, type View } from '../view.js';

/** Accepts the gateway's response; nothing of upstream's is left to compare. */
export const accept = ({ gateway }: Exchange): Settled => ({ upstream: gateway });

/** Replaces upstream's response with its response to another request; undefined if both are equal. */
export const resend = async (
  { upstream, sendToUpstream }: Exchange,
  wire: WireRequest,
): Promise<Settled | undefined> => {
  const responded = await sendToUpstream(wire);
  return firstDifference(upstream, responded) ? { upstream: responded } : undefined;
};

/** Upstream returns 500 where the gateway returns a client error. */
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
