import type { Prisma } from '../../data/db.js';
import type { Tag } from '../feature-spec.js';
import type { Author } from '../people.js';

export type Json = Prisma.InputJsonValue | null;

/** An event before it gets its ID. */
export type EventDraft = {
  at: Date;
  type: string;
  by: Author;
  project?: string | null;
  environment?: string | null;
  featureName?: string | null;
  data?: Json;
  preData?: Json;
  tags?: readonly Tag[];
  /** The group of events it belongs to. */
  group?: { type: string; id: string };
};

export type EventLine = readonly [
  day: number,
  minute: number,
  type: string,
  by: Author,
  rest?: Omit<EventDraft, 'at' | 'type' | 'by'>,
];
