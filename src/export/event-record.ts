import type { Actor } from '../domain/actor.js';
import { ipFor } from '../domain/events/event-ip.js';
import type { EventRow } from '../domain/rows.js';
import { readTags } from '../graphql/schema/tag.js';
import { writeJson } from '../http/write-json.js';

/** An event as written to files and pipes. The names are those of the GraphQL type Event. */
export type EventRecord = {
  id: number;
  /** The Unix epoch if a damaged log has none. */
  createdAt: string;
  /** As recorded: `feature-created`. */
  typeName: string;
  label: string;
  summary: string;
  createdBy: string;
  createdByUserId: number | null;
  projectId: string | null;
  featureName: string | null;
  environmentName: string | null;
  data: unknown;
  preData: unknown;
  tags: readonly { type: string; value: string }[];
  ip: string | null;
  /** Events written together share a group. */
  group: { type: string | null; id: string } | null;
};

/** The GraphQL selection of these fields. */
export const RECORD_FIELDS = `id createdAt typeName label summary createdBy createdByUserId
  projectId featureName environmentName data preData tags { type value } ip group { type id }`;

const EPOCH = new Date(0);

/** An event as this actor may see it. */
export const toRecord = (
  event: EventRow,
  actor: Actor,
  { label, summary }: { label: string; summary: string },
): EventRecord => ({
  id: event.id,
  createdAt: (event.createdAt ?? EPOCH).toISOString(),
  typeName: event.type,
  label,
  summary,
  createdBy: event.createdBy,
  createdByUserId: event.createdByUserId,
  projectId: event.projectId,
  featureName: event.featureName,
  environmentName: event.environment,
  data: event.data ?? null,
  preData: event.preData ?? null,
  tags: readTags(event.tags),
  ip: ipFor(actor, event),
  group: event.groupId ? { type: event.groupType, id: event.groupId } : null,
});

/** Single-line JSON. Escapes DEL and the control characters after it, which a terminal may interpret. */
export const toJsonLine = (value: unknown): string =>
  writeJson(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
