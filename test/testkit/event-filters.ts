import { Prisma, type PrismaClient } from '../../src/data/db.js';
import { EVENT_CATEGORIES } from '../../src/domain/events/event-categories.js';
import { isKnownEventType } from '../../src/domain/events/event-types.js';
import type { Random } from './clone-sources.js';

/** An event with the fields that filters use. */
export type LoggedEvent = {
  id: number;
  type: string;
  createdBy: string;
  createdByUserId: number | null;
  createdAt: Date | null;
  environment: string | null;
  project: string | null;
  feature: string | null;
  group: string | null;
  /** As recorded. */
  tags: unknown;
  /** The searchable text. */
  texts: string[];
};

/** All events, newest first. */
export const readLog = (client: PrismaClient): Promise<LoggedEvent[]> =>
  client.$queryRaw(Prisma.sql`
    select id, type, created_by as "createdBy", created_by_user_id as "createdByUserId",
      created_at as "createdAt", environment, project, feature_name as feature, group_id as "group",
      tags, array[coalesce(data::text, ''), coalesce(pre_data::text, ''), coalesce(tags::text, '')] as texts
    from events order by id desc`);

type Values<Value> = {
  is?: Value | null;
  anyOf?: Value[] | null;
  noneOf?: Value[] | null;
  startsWith?: string;
  contains?: string;
};
type Numbers = Values<number> & { from?: number; before?: number };

export type Filter = {
  text?: string;
  tag?: { type: string; value: string };
  id?: Numbers;
  featureName?: Values<string>;
  projectId?: Values<string>;
  environmentName?: Values<string>;
  groupId?: Values<string>;
  typeName?: Values<string>;
  type?: Values<string> & { category?: (keyof typeof EVENT_CATEGORIES)[] };
  createdByUserId?: Numbers;
  createdBy?: Values<string>;
  createdAt?: { from?: string; before?: string };
  and?: Filter[] | null;
  or?: Filter[] | null;
  not?: Filter | null;
};

const passes = <Value>(value: Value | null, filter: Values<Value> = {}): boolean => {
  const { is = null, anyOf, noneOf, startsWith, contains } = filter;
  const text = value === null ? null : String(value);
  return (
    (is === null || value === is) &&
    (!anyOf || anyOf.some((one) => one === value)) &&
    !noneOf?.some((one) => one === value) &&
    (startsWith === undefined || (text?.startsWith(startsWith) ?? false)) &&
    (contains === undefined || (text?.includes(contains) ?? false))
  );
};

const passesNumbers = (value: number | null, filter: Numbers = {}): boolean =>
  passes(value, filter) &&
  (filter.from === undefined || (value !== null && value >= filter.from)) &&
  (filter.before === undefined || (value !== null && value < filter.before));

const passesType = (type: string, { category, ...filter }: Filter['type'] = {}): boolean => {
  const name = isKnownEventType(type) ? type.toUpperCase().replaceAll('-', '_') : 'OTHER';
  const isInCategory =
    category?.some((one) => (EVENT_CATEGORIES[one] as readonly string[]).includes(type)) ?? true;
  return isInCategory && passes(name, filter);
};

const passesTime = (at: Date | null, { from, before }: Filter['createdAt'] = {}): boolean =>
  (from === undefined || (at !== null && at >= new Date(from))) &&
  (before === undefined || (at !== null && at < new Date(before)));

const hasTag = (tags: unknown, tag: Filter['tag']): boolean =>
  tag === undefined ||
  (Array.isArray(tags) && tags.some((one) => one?.type === tag.type && one?.value === tag.value));

/** Whether an event matches a filter, evaluated without SQL. */
export const matchesFilter = (event: LoggedEvent, filter: Filter): boolean => {
  const text = filter.text?.toLowerCase() ?? '';
  return (
    (text === '' || event.texts.some((value) => value.toLowerCase().includes(text))) &&
    hasTag(event.tags, filter.tag) &&
    passesNumbers(event.id, filter.id) &&
    passes(event.feature, filter.featureName) &&
    passes(event.project, filter.projectId) &&
    passes(event.environment, filter.environmentName) &&
    passes(event.group, filter.groupId) &&
    passesType(event.type, filter.type) &&
    passes(event.type, filter.typeName) &&
    passesNumbers(event.createdByUserId, filter.createdByUserId) &&
    passes(event.createdBy, filter.createdBy) &&
    passesTime(event.createdAt, filter.createdAt) &&
    (filter.and ?? []).every((inner) => matchesFilter(event, inner)) &&
    (!filter.or || filter.or.some((inner) => matchesFilter(event, inner))) &&
    (!filter.not || !matchesFilter(event, filter.not))
  );
};

/** Distinct tags of the log that a filter can contain. */
export const storedTags = (log: readonly LoggedEvent[]): { type: string; value: string }[] => {
  const tags = log.flatMap((event) => (Array.isArray(event.tags) ? event.tags : []));
  const texts = tags
    .filter(({ type, value }) => !`${type}${value}`.includes('\0'))
    .map(({ type, value }) => JSON.stringify({ type, value }));
  return [...new Set(texts)].map((text) => JSON.parse(text));
};

/** Filters of every form, for values in the log and others. */
export const createFilters = (random: Random, log: readonly LoggedEvent[]) => {
  const { chance, int, list, pick, some } = random;
  const anyEvent = () => log[int(0, log.length - 1)] as LoggedEvent;
  const values = <Value>(read: (event: LoggedEvent) => Value | null, missing: Value) => {
    const one = () => (chance(0.1) ? missing : (read(anyEvent()) ?? missing));
    return (): Values<Value> => ({
      ...(chance(0.2) && { is: one() }),
      ...(chance(0.4) && { anyOf: chance(0.1) ? null : [one(), ...list(6, one)] }),
      ...(chance(0.4) && { noneOf: list(3, one) }),
    });
  };
  const texts = (read: (event: LoggedEvent) => string | null, missing: string) => {
    const filter = values(read, missing);
    const part = () => (read(anyEvent()) || missing).slice(0, int(1, 4));
    return (): Values<string> => ({
      ...filter(),
      ...(chance(0.08) && { startsWith: part() }),
      ...(chance(0.08) && { contains: chance(0.2) ? pick('_', '%', '\\') : part() }),
    });
  };
  const numbers = (read: (event: LoggedEvent) => number | null) => {
    const filter = values(read, -7);
    return (): Numbers => ({
      ...(chance(0.5) && filter()),
      ...(chance(0.3) && { from: read(anyEvent()) ?? 3 }),
      ...(chance(0.3) && { before: read(anyEvent()) ?? 9 }),
    });
  };
  const enumName = ({ type }: LoggedEvent) =>
    isKnownEventType(type) ? type.toUpperCase().replaceAll('-', '_') : 'OTHER';
  const categories = Object.keys(EVENT_CATEGORIES) as (keyof typeof EVENT_CATEGORIES)[];
  const time = () => (anyEvent().createdAt ?? new Date('2026-01-01T00:00:00Z')).toISOString();

  const tags = storedTags(log);

  const generators = {
    text: () => pick('enabled', 'DEVELOPMENT', '"name"', 'rollout', 'no such text', 'a', ''),
    id: numbers(({ id }) => id),
    tag: () => tags[int(0, tags.length - 1)] ?? { type: 'simple', value: 'nothing' },
    featureName: texts(({ feature }) => feature, 'no-such-feature'),
    projectId: texts(({ project }) => project, 'no-such-project'),
    environmentName: texts(({ environment }) => environment, 'nowhere'),
    groupId: texts(({ group }) => group, '3'),
    type: () => ({
      ...values(enumName, 'OTHER')(),
      ...(chance(0.3) && { category: some(categories, 0.3) }),
    }),
    typeName: texts(({ type }) => type, 'no-such-type'),
    createdByUserId: numbers(({ createdByUserId }) => createdByUserId),
    createdBy: texts(({ createdBy }) => createdBy, 'nobody'),
    createdAt: () => ({
      ...(chance(0.6) && { from: time() }),
      ...(chance(0.6) && { before: time() }),
    }),
  };
  const all = Object.keys(generators) as (keyof typeof generators)[];
  const conditions = (): Filter => {
    const names = chance(0.15) ? [] : [...some(all, 0.06), all[int(0, all.length - 1)] ?? 'id'];
    return Object.fromEntries(names.map((name) => [name, generators[name]()]));
  };
  const filter = (levels: number): Filter => ({
    ...conditions(),
    ...(levels > 0 && {
      ...(chance(0.3) && { and: list(2, () => filter(levels - 1)) }),
      ...(chance(0.4) && { or: list(3, () => filter(levels - 1)) }),
      ...(chance(0.3) && { not: filter(levels - 1) }),
    }),
  });
  return filter;
};
