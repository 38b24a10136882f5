import { changesText, changeText } from './event-changes.js';
import { escapeMarkdown, plain } from './event-markdown.js';
import { field, firstText, idsText, listText } from './event-payload.js';

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['IN', 'is any of'],
  ['NOT_IN', 'is none of'],
  ['STR_CONTAINS', 'contains'],
  ['STR_STARTS_WITH', 'starts with'],
  ['STR_ENDS_WITH', 'ends with'],
  ['NUM_EQ', 'equals'],
  ['NUM_GT', 'is above'],
  ['NUM_GTE', 'is at least'],
  ['NUM_LT', 'is below'],
  ['NUM_LTE', 'is at most'],
  ['DATE_BEFORE', 'is earlier than'],
  ['DATE_AFTER', 'is later than'],
  ['SEMVER_EQ', 'is version'],
  ['SEMVER_GT', 'is newer than version'],
  ['SEMVER_GTE', 'is at least version'],
  ['SEMVER_LT', 'is older than version'],
  ['SEMVER_LTE', 'is at most version'],
  ['REGEX', 'matches'],
]);
const CONSTRAINT_KEYS = [
  'contextName',
  'operator',
  'inverted',
  'caseInsensitive',
  'value',
  'values',
];
const VARIANT_KEYS = ['name', 'weight', 'weightType', 'stickiness', 'payload', 'type', 'value'];

const inParentheses = (text: string): string => (text === '' ? '' : `(${text})`);

const listOf =
  (words: (item: unknown) => string, separator?: string) =>
  (value: unknown): string =>
    Array.isArray(value)
      ? inParentheses(listText(value, words, separator === undefined ? {} : { separator }))
      : '';

const constraintText = (constraint: unknown): string => {
  const context = plain(field(constraint, 'contextName'), 60) || 'an unnamed field';
  const operator = plain(field(constraint, 'operator'), 40);
  const values = field(constraint, 'values');
  const listed = Array.isArray(values) ? listText(values, plainItem, { max: 120 }) : '';
  const operand = listed || plain(field(constraint, 'value'), 120) || 'nothing';
  const letterCase = field(constraint, 'caseInsensitive') === true ? ' in any letter case' : '';

  const comparison = OPERATORS.get(operator) ?? (operator || 'compares with');
  const text = `${context} ${comparison} ${operand}${letterCase}`;
  return field(constraint, 'inverted') === true ? `not (${text})` : text;
};

const plainItem = (item: unknown): string => plain(item, 60);

// Weights are stored in thousandths.
const variantText = (variant: unknown): string => {
  const weight = field(variant, 'weight');
  const share = typeof weight === 'number' ? ` ${weight / 10}%` : '';
  return `${firstText([variant], ['name']) || 'unnamed'}${share}`;
};

const percentText = (value: unknown): string => {
  const text = plain(value);
  return /^\d+(\.\d+)?$/.test(text) ? `${text}%` : text;
};

/** Unescaped. */
export const variantsChange = (data: unknown, preData: unknown): string =>
  changeText('variants', field(preData, 'variants'), field(data, 'variants'), {
    words: listOf(variantText),
    keys: VARIANT_KEYS,
  });

const disabledChange = (data: unknown, preData: unknown): string => {
  const isDisabled = field(data, 'disabled');
  if (typeof isDisabled !== 'boolean') return '';
  if (isDisabled === (field(preData, 'disabled') === true)) return '';
  return isDisabled ? 'now disabled' : 'now enabled';
};

// A previous payload without a sort order does not mean that the order changed.
const sortOrderChange = (data: unknown, preData: unknown): string => {
  const before = field(preData, 'sortOrder');
  return before === undefined ? '' : changeText('sort order', before, field(data, 'sortOrder'));
};

/** All differences between two states of a strategy, as Markdown after a colon. */
export const strategyChanges = (data: unknown, preData: unknown): string => {
  const before = field(preData, 'parameters');
  const after = field(data, 'parameters');
  const parameter = (what: string, key: string, words = plain as (value: unknown) => string) =>
    changeText(what, field(before, key), field(after, key), { words });
  const ids = (value: unknown) => inParentheses(idsText(value));

  return escapeMarkdown(
    changesText([
      parameter('rollout', 'rollout', percentText),
      parameter('stickiness', 'stickiness'),
      parameter('group id', 'groupId'),
      parameter('user ids', 'userIds', ids),
      parameter('IP addresses', 'IPs', ids),
      parameter('host names', 'hostNames', ids),
      changeText('constraints', field(preData, 'constraints'), field(data, 'constraints'), {
        words: listOf(constraintText, '; '),
        keys: CONSTRAINT_KEYS,
      }),
      changeText('segments', field(preData, 'segments'), field(data, 'segments'), {
        words: ids,
        keys: ['id', 'name'],
      }),
      variantsChange(data, preData),
      changeText('title', field(preData, 'title'), field(data, 'title')),
      disabledChange(data, preData),
      sortOrderChange(data, preData),
    ]),
  );
};
