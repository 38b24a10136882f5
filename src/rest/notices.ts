import { type Deprecation, deprecationHeaders, deprecationLinks } from './deprecation.js';
import type { Route } from './route.js';

/** Headers of every response of a path: a link to the guide for the equivalent query, and its deprecation. */
export const noticesOf = (
  { guide, isDeprecated }: Pick<Route, 'guide' | 'isDeprecated'>,
  { basePath, deprecation }: { basePath: string; deprecation: Deprecation },
): Record<string, string> => {
  const links = [
    ...(isDeprecated ? deprecationLinks(basePath) : []),
    ...(guide
      ? [
          `<${basePath}/docs/guides/migrate-from-rest#${guide}>; rel="service-doc"; type="text/html"`,
        ]
      : []),
  ];
  return {
    ...(isDeprecated && deprecationHeaders(deprecation)),
    ...(links.length > 0 && { link: links.join(', ') }),
  };
};
