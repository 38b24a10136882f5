import { type Deprecation, deprecationHeaders, deprecationLinks } from './deprecation.js';
import type { Route } from './route.js';

/** What every answer of a path says besides its content: where its query in the graph is told of, and whether it will go. */
export const noticesOf = (
  { guide, isDeprecated }: Pick<Route, 'guide' | 'isDeprecated'>,
  { basePath, deprecation }: { basePath: string; deprecation: Deprecation },
): Record<string, string> => {
  const links = [
    ...(isDeprecated ? deprecationLinks(basePath) : []),
    ...(guide
      ? [`<${basePath}/docs/migrate-from-rest#${guide}>; rel="service-doc"; type="text/html"`]
      : []),
  ];
  return {
    ...(isDeprecated && deprecationHeaders(deprecation)),
    ...(links.length > 0 && { link: links.join(', ') }),
  };
};
