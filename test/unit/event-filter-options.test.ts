import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addFilterOptions } from '../../src/cli/events/add-filter-options.js';
import {
  absoluteTimes,
  type FilterOptions,
  readFilterOptions,
  withRelativeTimes,
} from '../../src/export/filter-options.js';

const NOW = new Date('2026-03-31T12:00:00Z');

const optionsOf = (...args: string[]) =>
  addFilterOptions(new Command())
    .exitOverride()
    .parse(args, { from: 'user' })
    .opts<FilterOptions>();

const filterOf = (...args: string[]) => readFilterOptions(optionsOf(...args), NOW);

describe('filter options of export and tail', () => {
  test('are an empty filter by default', () => {
    expect(filterOf()).toEqual({});
  });

  test('become an EventFilter, with one value or several', () => {
    expect(
      filterOf('--project', 'web', '--feature', 'a', '--feature', 'b', '--environment', 'prod'),
    ).toEqual({
      projectId: { is: 'web' },
      featureName: { anyOf: ['a', 'b'] },
      environmentName: { is: 'prod' },
    });
    expect(filterOf('--created-by', '-42', '--text', 'a, "b"')).toEqual({
      createdByUserId: { is: -42 },
      text: 'a, "b"',
    });
  });

  test('accept types as recorded or as in the schema, repeated or as a list', () => {
    expect(
      filterOf('--type', 'feature-created, FEATURE_ARCHIVED', '--type', 'Pat-Created,OTHER'),
    ).toEqual({ type: { anyOf: ['FEATURE_CREATED', 'FEATURE_ARCHIVED', 'PAT_CREATED', 'OTHER'] } });
  });

  test('accept categories of types, with types or alone', () => {
    expect(
      filterOf('--category', 'feature,CHANGE_REQUEST', '--category', 'release-plan-template'),
    ).toEqual({ type: { category: ['FEATURE', 'CHANGE_REQUEST', 'RELEASE_PLAN_TEMPLATE'] } });
    expect(filterOf('--category', 'feature', '--type', 'feature-created')).toEqual({
      type: { anyOf: ['FEATURE_CREATED'], category: ['FEATURE'] },
    });
  });

  test.each([
    ['2026-03-01', '2026-03-31', '2026-03-01T00:00:00.000Z', '2026-03-31T00:00:00.000Z'],
    [
      '2026-03-01T09:30:00Z',
      '2026-03-01t10:00:00.25+02:00',
      '2026-03-01T09:30:00.000Z',
      '2026-03-01T08:00:00.250Z',
    ],
  ])('accept timestamps and days: from %s, before %s', (from, before, first, end) => {
    expect(filterOf('--from', from, '--before', before)).toEqual({
      createdAt: { from: first, before: end },
    });
  });

  test.each([
    ['30s', '2026-03-31T11:59:30.000Z'],
    ['30m', '2026-03-31T11:30:00.000Z'],
    ['24h', '2026-03-30T12:00:00.000Z'],
    ['7d', '2026-03-24T12:00:00.000Z'],
    ['2w', '2026-03-17T12:00:00.000Z'],
    ['P7D', '2026-03-24T12:00:00.000Z'],
    ['PT36H', '2026-03-30T00:00:00.000Z'],
    ['P1DT12H30M', '2026-03-29T23:30:00.000Z'],
  ])('accept the duration %s before now', (duration, from) => {
    expect(filterOf('--since', duration)).toEqual({ createdAt: { from } });
    expect(filterOf('--from', duration, '--before', 'PT0S')).toEqual({
      createdAt: { from, before: NOW.toISOString() },
    });
  });

  test('take the start of a day and a duration exactly, as ranges of the graph do', () => {
    expect(filterOf('--before', '2026-03-01')).toEqual({
      createdAt: { before: '2026-03-01T00:00:00.000Z' },
    });
    expect(filterOf('--before', '1d')).toEqual({
      createdAt: { before: '2026-03-30T12:00:00.000Z' },
    });
  });

  test('are compared by relative timestamps, so that an export can be resumed later', () => {
    const options = optionsOf('--from', '7d', '--before', '2026-03-31', '--project', 'web');
    const filter = readFilterOptions(options, NOW);
    expect(absoluteTimes(options, filter)).toBe('--from 2026-03-24T12:00:00.000Z');
    const later = readFilterOptions(options, new Date(NOW.getTime() + 60_000));
    expect(later).not.toEqual(filter);
    expect(withRelativeTimes(later, options)).toEqual(withRelativeTimes(filter, options));
    const other = optionsOf('--from', '8d', '--before', '2026-03-31', '--project', 'web');
    expect(withRelativeTimes(filter, other)).not.toEqual(withRelativeTimes(filter, options));
  });

  test('accept users by ID, by recorded name, or both', () => {
    expect(filterOf('--created-by', 'ada', '--created-by', 'bo@example.com')).toEqual({
      createdBy: { anyOf: ['ada', 'bo@example.com'] },
    });
    expect(filterOf('--created-by', 'ada', '--created-by', '7')).toEqual({
      or: [{ createdByUserId: { is: 7 } }, { createdBy: { is: 'ada' } }],
    });
  });

  test('combine with a filter of other conditions', () => {
    expect(filterOf('--project', 'web', '--filter', '{"id": {"from": 7}}')).toEqual({
      id: { from: 7 },
      projectId: { is: 'web' },
    });
  });

  test.each([
    [['--type', 'feature-creatd'], /no event type 'feature-creatd'.*feature-created/s],
    [['--type', 'feature-created,'], /no event type ''/],
    [['--type', 'toString'], /no event type 'toString'/],
    [['--category', 'features'], /no category 'features' of event types.*: feature, /],
    [['--created-by', '2147483648'], /--created-by/],
    [['--from', 'yesterday'], /--from \(--since\) must be a timestamp .* \(got 'yesterday'\)/],
    [['--from', '7'], /--from \(--since\) must/],
    [['--from', '7 days'], /--from \(--since\) must/],
    [['--from', '-7d'], /--from \(--since\) must/],
    [['--from', 'P'], /--from \(--since\) must/],
    [['--from', 'PT'], /--from \(--since\) must/],
    [['--from', 'P1DT'], /--from \(--since\) must/],
    [['--from', 'P1M'], /--from \(--since\) must/],
    [['--from', '999999w'], /--from \(--since\) must/],
    [['--from', '2026-02-30'], /--from \(--since\) must/],
    [['--before', '2026-02-30T00:00:00Z'], /--before must/],
    [['--before', '2026-03-01T10:00:00'], /--before must/],
    [['--filter', '[]'], /--filter must be an EventFilter as a JSON object/],
    [['--filter', '{"project"'], /--filter must be an EventFilter as a JSON object/],
    [['--filter', '{"projekt": {"is": "web"}}'], /"projekt" is not defined/],
    [['--filter', '{"id": {"is": "seven"}}'], /id\.is: Int cannot represent/],
    [['--filter', '{"projectId": {}}', '--project', 'web'], /'projectId' is given twice/],
  ])('reject %j with a message', (args, sentence) => {
    expect(() => filterOf(...args)).toThrow(sentence);
    expect(() => filterOf(...args)).toThrow(expect.objectContaining({ name: 'OptionError' }));
  });
});
