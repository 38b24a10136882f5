import type { HttpResponse, WireRequest } from './http.js';
import type { ParityRequest } from './request.js';
import type { View } from './view.js';
import type { World } from './world/world.js';

/** A request, both responses, and functions to send further requests. */
export type Exchange = {
  version: string;
  world: World;
  /** Incremented when a change to the databases is kept. */
  epoch: number;
  request: ParityRequest;
  wire: WireRequest;
  responses: { upstream: HttpResponse; gateway: HttpResponse };
  upstream: View;
  gateway: View;
  sendToUpstream(wire: WireRequest): Promise<View>;
  sendToGateway(wire: WireRequest): Promise<View>;
  /** Upstream without the restrictions of its open source edition, on the same database. */
  sendToUnrestricted(wire: WireRequest): Promise<View>;
  /** Sends to upstream while the clone's source is in the clone's target project. */
  sendWithLocalSource(wire: WireRequest): Promise<View>;
};

/** What is left to compare after a difference is removed. */
export type Settled = Partial<Pick<Exchange, 'upstream' | 'gateway' | 'sendToUpstream'>>;
