import type { EventRow } from '../../../data/events/event-rows.sql.js';
import { SUBJECT_RULES, type SubjectRule } from '../../../data/events/subject-rules.js';
import { isObject } from '../../json.js';
import { isStorable } from '../../text.js';

/** An object whose previous state is needed. */
export type Subject = { rule: SubjectRule; owner: string | null };

const isName = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && isStorable(value));

/** The object of an event that records only the new state; null if it cannot be identified. */
export const subjectOf = ({
  type,
  data,
  featureName,
  projectId,
  environment,
}: EventRow): Subject | null => {
  const rule = SUBJECT_RULES.get(type);
  if (!rule || !isObject(data)) return null;

  const { scope, isPerEnvironment = false, key } = rule;
  const owner = { feature: featureName, project: projectId, installation: null }[scope];
  if (owner === null && scope !== 'installation') return null;
  if (isPerEnvironment && environment === null) return null;
  if (key !== undefined && !(Object.hasOwn(data, key) && isName(data[key]))) return null;
  return { rule, owner };
};
