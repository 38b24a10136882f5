import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  addFilterOptions,
  type FilterOptions,
  readFilterOptions,
} from '../../src/cli/events/filter-options.js';

const filterOf = (...args: string[]) => {
  const command = addFilterOptions(new Command()).exitOverride();
  return readFilterOptions(command.parse(args, { from: 'user' }).opts<FilterOptions>());
};

describe('the filter options of export and tail', () => {
  test('say nothing where none is given', () => {
    expect(filterOf()).toEqual({});
  });

  test('become an EventFilter of the graph, one value or several', () => {
    expect(
      filterOf('--project', 'web', '--feature', 'a', '--feature', 'b', '--environment', 'prod'),
    ).toEqual({
      project: { is: 'web' },
      feature: { anyOf: ['a', 'b'] },
      environment: { is: 'prod' },
    });
    expect(filterOf('--created-by', '-42', '--text', 'a, "b"')).toEqual({
      createdBy: { is: -42 },
      text: 'a, "b"',
    });
  });

  test('take types as recorded or as the graph spells them, repeated or in a list', () => {
    expect(
      filterOf('--type', 'feature-created, FEATURE_ARCHIVED', '--type', 'Pat-Created,OTHER'),
    ).toEqual({ type: { anyOf: ['FEATURE_CREATED', 'FEATURE_ARCHIVED', 'PAT_CREATED', 'OTHER'] } });
  });

  test('take groups of types, beside types or alone', () => {
    expect(
      filterOf('--group', 'feature,CHANGE_REQUEST', '--group', 'release-plan-template'),
    ).toEqual({ type: { group: ['FEATURE', 'CHANGE_REQUEST', 'RELEASE_PLAN_TEMPLATE'] } });
    expect(filterOf('--group', 'feature', '--type', 'feature-created')).toEqual({
      type: { anyOf: ['FEATURE_CREATED'], group: ['FEATURE'] },
    });
  });

  test.each([
    ['2026-03-01', '2026-03-31', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    [
      '2026-03-01T09:30:00Z',
      '2026-03-01t10:00:00.25+02:00',
      '2026-03-01T09:30:00.000Z',
      '2026-03-01T08:00:00.250Z',
    ],
  ])('take moments and whole days: from %s to %s', (from, to, first, end) => {
    expect(filterOf('--from', from, '--to', to)).toEqual({ createdAt: { from: first, to: end } });
  });

  test('go together with a whole filter that says something else', () => {
    expect(filterOf('--project', 'web', '--filter', '{"id": {"from": 7}}')).toEqual({
      id: { from: 7 },
      project: { is: 'web' },
    });
  });

  test.each([
    [['--type', 'feature-creatd'], /no event type 'feature-creatd'.*feature-created/s],
    [['--type', 'feature-created,'], /no event type ''/],
    [['--type', 'toString'], /no event type 'toString'/],
    [['--group', 'features'], /no group 'features' of event types.*: feature, /],
    [['--created-by', 'ada'], /--created-by takes the number of a user.*'ada' is none/],
    [['--created-by', '2147483648'], /--created-by/],
    [['--from', 'yesterday'], /--from takes a moment .* 'yesterday' is neither/],
    [['--from', '2026-02-30'], /--from takes/],
    [['--to', '2026-02-30T00:00:00Z'], /--to takes/],
    [['--to', '2026-03-01T10:00:00'], /--to takes/],
    [['--filter', '[]'], /--filter takes an EventFilter as a JSON object/],
    [['--filter', '{"project"'], /--filter takes an EventFilter as a JSON object/],
    [['--filter', '{"projekt": {"is": "web"}}'], /"projekt" is not defined/],
    [['--filter', '{"id": {"is": "seven"}}'], /id\.is: Int cannot represent/],
    [['--filter', '{"project": {}}', '--project', 'web'], /'project' is given twice/],
  ])('refuse %j with a sentence', (args, sentence) => {
    expect(() => filterOf(...args)).toThrow(sentence);
    expect(() => filterOf(...args)).toThrow(
      expect.objectContaining({ name: 'CommandRefusedError' }),
    );
  });
});
