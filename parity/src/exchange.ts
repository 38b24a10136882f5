import type { Answer, WireRequest } from './http.js';
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
  answers: { original: Answer; gateway: Answer };
  original: View;
  gateway: View;
  askOriginal(wire: WireRequest): Promise<View>;
  askGateway(wire: WireRequest): Promise<View>;
  /** The original without the restrictions of its open source edition, on the same database. */
  askUnrestricted(wire: WireRequest): Promise<View>;
  /** The same, while the source of the clone belongs to the project the clone is for. */
  askWithLocalSource(wire: WireRequest): Promise<View>;
  /** The original was asked as somebody else, so the authors of rows are not compared. */
  hasOtherAuthor?: boolean;
};

/** What is left to compare once a difference is taken out. */
export type Settled = Partial<
  Pick<Exchange, 'original' | 'gateway' | 'askOriginal' | 'hasOtherAuthor'>
>;
