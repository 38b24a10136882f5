import { writeJson } from '../../http/write-json.js';

/** An event as written to files and pipes. */
export type EventRecord = {
  id: number;
  createdAt: string | null;
  /** As recorded: `feature-created`. */
  type: string;
  label: string;
  summary: string;
  createdBy: string;
  createdByUserId: number | null;
  project: string | null;
  featureName: string | null;
  environment: string | null;
  data: unknown;
  preData: unknown;
  tags: readonly { type: string; value: string }[];
  ip: string | null;
  /** Events written together share a group. */
  group: { type: string | null; id: string } | null;
};

/** The GraphQL selection of these fields. */
export const RECORD_FIELDS = `id createdAt type: typeName label summary createdBy createdByUserId
  project: projectId featureName environment: environmentName data preData tags { type value } ip group { type id }`;

/** Single-line JSON. Escapes DEL and the control characters after it, which a terminal may interpret. */
export const toJsonLine = (value: unknown): string =>
  writeJson(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
