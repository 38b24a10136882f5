import type { HttpResponse, WireRequest } from './http.js';
import type { ParityRequest } from './request.js';
import type { View } from './view.js';
import type { World } from './world/world.js';

/** A request with what both sides answered, and the means to ask again. */
export type Exchange = {
  version: string;
  world: World;
  /** Changes whenever the databases have changed for good. */
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
  /** The same, while the source of the clone belongs to the project the clone is for. */
  sendWithLocalSource(wire: WireRequest): Promise<View>;
};

/** What is left to compare once a difference is taken out. */
export type Settled = Partial<Pick<Exchange, 'upstream' | 'gateway' | 'sendToUpstream'>>;
