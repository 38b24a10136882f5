import { expect, test } from 'vitest';
import { MAX_NAMED_ENVIRONMENTS, unknownEnvironment } from '../../src/domain/environments.js';

test('reports an unknown environment with the existing ones', () => {
  const { message, resource, key } = unknownEnvironment('prod', ['development', 'production']);
  expect(message).toBe(
    "Environment 'prod' does not exist. Existing environments: development, production.",
  );
  expect([resource, key]).toEqual(['Environment', 'prod']);
});

test('lists no environments when there are none', () => {
  expect(unknownEnvironment('prod', []).message).toBe("Environment 'prod' does not exist.");
});

test('truncates long lists of environments and long names', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `e${index}-${'x'.repeat(10_000)}`);
  const { message } = unknownEnvironment('prod', names);
  expect(message).toContain(`e${MAX_NAMED_ENVIRONMENTS - 1}-`);
  expect(message).not.toContain(`e${MAX_NAMED_ENVIRONMENTS}-`);
  expect(message).toMatch(/… and more\.$/);
  expect(message.length).toBeLessThan(5_000);
});
