import { expect, test } from 'vitest';
import { MOST_NAMED, unknownEnvironment } from '../../src/domain/environments.js';

test('an unknown environment is told together with those there are', () => {
  const { message, resource, key } = unknownEnvironment('prod', ['development', 'production']);
  expect(message).toBe("Environment 'prod' does not exist. There are development, production.");
  expect([resource, key]).toEqual(['Environment', 'prod']);
});

test('without any environment there is nothing to name', () => {
  expect(unknownEnvironment('prod', []).message).toBe("Environment 'prod' does not exist.");
});

test('of very many environments, and of very long names, only the beginning is told', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `e${index}-${'x'.repeat(10_000)}`);
  const { message } = unknownEnvironment('prod', names);
  expect(message).toContain(`e${MOST_NAMED - 1}-`);
  expect(message).not.toContain(`e${MOST_NAMED}-`);
  expect(message).toMatch(/… and more\.$/);
  expect(message.length).toBeLessThan(5_000);
});
