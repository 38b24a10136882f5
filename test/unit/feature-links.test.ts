import { describe, expect, test } from 'vitest';
import { assertLinkTemplate, linkFrom } from '../../src/domain/features/feature-links.js';

const COPY = { name: 'checkout-v2', targetProject: 'web' };
const linkOf = (urlTemplate: unknown, title?: unknown) =>
  linkFrom({ urlTemplate, ...(title !== undefined && { title }) }, COPY);

describe('a link template', () => {
  test('gets the names of project and feature at every placeholder', () => {
    expect(linkOf('https://x.io/{{project}}/{{feature}}?f={{feature}}&p={{project}}')?.url).toBe(
      'https://x.io/web/checkout-v2?f=checkout-v2&p=web',
    );
  });

  // As Unleash 7.6.5 and 8.2.0 store them.
  test.each([
    ['docs.example.co.uk/{{feature}}', 'https://docs.example.co.uk/checkout-v2', 'example'],
    ['http://www.Example.com/a/?b=1&a=2#x', 'http://example.com/a?a=2&b=1#x', 'example'],
    ['https://user:pw@host.io/?utm_source=a', 'https://host.io', 'host'],
    ['localhost:3000/{{feature}}', 'https://localhost:3000/checkout-v2', null],
    ['http://10.0.0.1/', 'http://10.0.0.1', null],
    ['mailto:team@example.com', 'mailto:team@example.com', 'example'],
  ])('stores %s as a normalized URL with its domain', (template, url, domain) => {
    expect(linkOf(template)).toEqual({ url, domain });
  });

  test('keeps its title, or the absence of one', () => {
    expect(linkOf('x.io', 'Docs')).toHaveProperty('title', 'Docs');
    expect(linkOf('x.io', null)).toHaveProperty('title', null);
    expect(linkOf('x.io')).not.toHaveProperty('title');
  });

  test.each([
    [{ urlTemplate: 'no url at all' }],
    [{ urlTemplate: '' }],
    [{ title: 'Docs' }],
    [{ urlTemplate: 5 }],
    ['https://x.io'],
    [null],
  ])('that yields no URL is rejected with the project in the message: %j', (template) => {
    expect(linkFrom(template, COPY)).toBeNull();
    expect(() => assertLinkTemplate(template, COPY)).toThrowError(
      expect.objectContaining({ name: 'BadDataError', message: expect.stringContaining("'web'") }),
    );
  });
});
