import { writeJson } from '../../http/write-json.js';

/** An event as it is written to files and pipes. */
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
};

/** The same as a selection of GraphQL. */
export const RECORD_FIELDS = `id createdAt type: typeName label summary createdBy createdByUserId
  project: projectId featureName environment data preData tags { type value } ip`;

/** JSON on one line that is safe to show: a terminal may take the characters after DEL for commands. */
export const toJsonLine = (value: unknown): string =>
  writeJson(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
