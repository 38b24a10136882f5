import type { Random } from '../random.js';
import { contentTypeOf, encode, headersOf, type RawRequest } from './encode.js';
import { edgeCaseJson, edgeCaseValue } from './values.js';

const METHODS = ['GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE'];

const REST_PATHS = [
  '/api/admin/search/events',
  '/api/admin/projects/{}/health-report',
  '/api/admin/addons/{}/events',
  '/api/admin/projects/{}/features/{}/clone',
  '/api/admin/openapi.json',
  '/api/admin/{}',
  '/{}',
  '/docs/{}',
  '/assets/{}',
  '/readyz',
  '/livez',
  '/metrics',
];

const KEYS = [
  'limit',
  'offset',
  'query',
  'feature',
  'project',
  'type',
  'from',
  'to',
  'createdBy',
  'environment',
  'sortOrder',
  'x',
  '__proto__',
];

/** Escapes the characters that would end the request line. */
const forPath = (text: string) =>
  text.replace(/[\s\u007f-\uffff]/g, (found) =>
    encodeURIComponent(found.replace(/[\ud800-\udfff]/g, '?')),
  );

export const restRequest = (random: Random): RawRequest => {
  const path = random.pick(REST_PATHS).replaceAll('{}', () => forPath(edgeCaseValue(random)));
  const search = Array.from(
    { length: random.below(5) },
    () =>
      `${random.pick(KEYS)}${random.pick(['', '', '[]', '[a]'])}=${forPath(edgeCaseValue(random)).replaceAll('#', '%23')}`,
  );
  const method = path.endsWith('/clone')
    ? random.pick(['POST', 'POST', 'POST', 'GET'])
    : random.pick(METHODS);
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  const body =
    random.below(4) === 0
      ? edgeCaseValue(random)
      : JSON.stringify(
          random.below(2) === 0
            ? edgeCaseJson(random)
            : { name: edgeCaseJson(random), replaceGroupId: edgeCaseJson(random) },
        );
  return encode({
    method,
    path: `${path}${search.length > 0 ? `?${search.join('&')}` : ''}`,
    headers: { ...headersOf(random), ...(hasBody && { 'Content-Type': contentTypeOf(random) }) },
    ...(hasBody && { body }),
  });
};
