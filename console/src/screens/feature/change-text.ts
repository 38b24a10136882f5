import type { ShownChange } from '../../ui/change-list.js';
import { listText } from '../../ui/list-text.js';
import { type ShownStrategy, strategyText } from './strategy-text.js';

const ENVIRONMENT = /^environments\[name=([^\]]+)\](?:\.(.*))?$/;
const STRATEGY = /^strategies\[id=([^\]]+)\](?:\.(.*))?$/;

const WORDS: Readonly<Record<string, string>> = {
  enabled: 'on or off',
  impressionData: 'impression data',
  inProject: 'part of the project',
  projectId: 'project',
  'strategies[]': 'order of strategies',
};

const wordsOf = (path: string): string => WORDS[path] ?? path.replace(/^parameters\./, '');

/** Names of what paths and values refer to by ID. */
export type Names = {
  strategies: ReadonlyMap<string, string>;
  segments: ReadonlyMap<number, string>;
};

const strategyPath = (path: string, names: Names): string => {
  const [, id = '', rest] = STRATEGY.exec(path) ?? [];
  if (id === '') return wordsOf(path);
  const name = names.strategies.get(id);
  const strategy = name === undefined ? 'strategy' : `strategy “${name}”`;
  return rest === undefined ? strategy : `${strategy}, ${wordsOf(rest)}`;
};

/** `production: strategy “Nordics first”, rollout` */
export const pathText = (path: string, names: Names): string => {
  if (path === '') return 'the whole feature';
  const [, environment, rest] = ENVIRONMENT.exec(path) ?? [];
  if (environment === undefined) return wordsOf(path);
  return rest === undefined ? environment : `${environment}: ${strategyPath(rest, names)}`;
};

/** `variants in development and staging`, one text for each property. */
export const pathsText = (paths: readonly string[], names: Names): string[] => {
  const grouped = new Map<string, string[]>();
  const others: string[] = [];
  for (const path of paths) {
    const [, environment, rest] = ENVIRONMENT.exec(path) ?? [];
    if (environment === undefined || rest === undefined) others.push(pathText(path, names));
    else {
      const property = strategyPath(rest, names);
      grouped.set(property, [...(grouped.get(property) ?? []), environment]);
    }
  }
  return [
    ...others,
    ...[...grouped].map(([property, environments]) => `${property} in ${listText(environments)}`),
  ];
};

const isStrategy = (value: unknown): value is Partial<ShownStrategy> =>
  typeof value === 'object' && value !== null && 'parameters' in value && 'name' in value;

const nameOfItem = (item: unknown, names: Names): string => {
  const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : item;
  return names.strategies.get(String(id)) ?? String(id);
};

const valueText = (path: string, value: unknown, names: Names): unknown => {
  if (path.endsWith('.enabled')) {
    if (value === true) return 'On';
    if (value === false) return 'Off';
  }
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (path.endsWith('strategies') && Array.isArray(value)) {
    return value.map((item) => nameOfItem(item, names)).join(', ');
  }
  if (!/strategies\[id=[^\]]+\]$/.test(path) || !isStrategy(value)) return value;
  const segmentIds = Array.isArray(value.segments) ? (value.segments as number[]) : [];
  const text = strategyText({
    title: null,
    disabled: false,
    name: null,
    parameters: {},
    variants: [],
    ...value,
    constraints: value.constraints ?? [],
    segmentIds,
    segments: segmentIds.map((id) => ({ name: names.segments.get(id) ?? String(id) })),
  });
  return value.title ? `${value.title}: ${text}` : text;
};

/** Differences with readable paths and values. */
export const readableChanges = (changes: readonly ShownChange[], names: Names): ShownChange[] =>
  changes.map(({ path, kind, before, after }) => ({
    path: pathText(path, names),
    kind,
    before: valueText(path, before, names),
    after: valueText(path, after, names),
  }));
