import DataLoader from 'dataloader';
import { describe, expect, test } from 'vitest';
import { createReportError } from '../../src/http/report-error.js';
import { createLogger } from '../../src/observability/logger.js';

describe('a statement failure that affects many fields', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: 'info', pretty: false, destination });
  const report = createReportError(logger, { isMigratedByOthers: false });
  const failing = () =>
    new DataLoader<number, never>(() => Promise.reject(new Error('disk on fire')), {
      cache: false,
    });

  const reportsOf = async (loader: DataLoader<number, never>, keys: readonly number[]) => {
    const outcomes = await Promise.allSettled(keys.map((key) => loader.load(key)));
    return outcomes.map((outcome) =>
      outcome.status === 'rejected' ? report(outcome.reason) : null,
    );
  };

  test('is logged once, with the ID that all errors contain', async () => {
    const errors = await reportsOf(failing(), [1, 2, 3]);
    const [logged, ...others] = lines.splice(0).map((line) => JSON.parse(line));
    expect(others).toEqual([]);
    expect(logged).toMatchObject({ err: { message: 'disk on fire' } });
    expect(errors.map((error) => error?.id)).toEqual([
      logged.errorId,
      logged.errorId,
      logged.errorId,
    ]);
    expect(errors.map((error) => error?.message).join()).not.toContain('fire');
  });

  test('is logged again when another statement fails the same way', async () => {
    const [one, other] = [
      ...(await reportsOf(failing(), [1])),
      ...(await reportsOf(failing(), [1])),
    ];
    expect(lines.splice(0)).toHaveLength(2);
    expect(one?.id).not.toBe(other?.id);
  });

  test('is logged for values that are not objects, too', () => {
    expect(report('a text').id).not.toBe(report('a text').id);
    expect(lines.splice(0)).toHaveLength(2);
  });
});
