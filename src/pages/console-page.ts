import type { IncomingMessage } from 'node:http';
import { createPrecompressed } from '../http/precompressed.js';
import type { HttpResponse } from '../http/send.js';
import { CONTENT_TYPES, FOREVER } from './assets.js';
import type { readConsoleFiles } from './console-files.js';
import { isConsolePath } from './console-paths.js';
import { html, jsonFor } from './html.js';
import type { Site } from './layout.js';
import { type Policy, pageResponse } from './page-response.js';
import { addWebFile, PRODUCT } from './web-files.js';

/** A token of the demo world, and whose it is. */
export type DemoRole = { name: string; token: string };

export type ConsoleOptions = {
  site: Site;
  /** Whether Unleash's sign-in session is accepted. */
  hasSessions: boolean;
  /** Where users sign in to Unleash. */
  adminUiUrl: string | null;
  demoRoles: readonly DemoRole[];
  files: NonNullable<ReturnType<typeof readConsoleFiles>>;
};

/** The style element that React Aria adds for touch screens. */
const PRESS_STYLE = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

const POLICY: Policy = {
  'script-src': "'self'",
  'style-src': `'self' ${PRESS_STYLE}`,
  'font-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
};

const FILES = '/assets/console/';

/** The web console, built by `npm run console`. */
export const createConsole = ({
  site,
  hasSessions,
  adminUiUrl,
  demoRoles,
  files: built,
}: ConsoleOptions) => {
  const { basePath, hasGraphiql, assets } = site;
  const urlOf = (name: string) => `${basePath}${FILES}${name}`;
  const settings = {
    basePath,
    version: PRODUCT.version,
    hasGraphiql,
    hasSessions,
    unleashUrl: adminUiUrl,
    demoRoles,
  };
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${PRODUCT.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.urlOf(addWebFile(assets, 'icon', 'svg'))}" type="image/svg+xml">
${built.styles.map((name) => html`<link rel="stylesheet" href="${urlOf(name)}">\n`)}${built.preloads.map((name) => html`<link rel="modulepreload" href="${urlOf(name)}">\n`)}<script type="application/json" id="settings">${jsonFor(settings)}</script>
<script type="module" src="${urlOf(built.script)}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console requires JavaScript. The <a href="${basePath}/docs/">documentation</a> does not.</noscript>
</body>
</html>
`;

  const files = new Map(
    built.files.map(({ name, type, body }) => {
      const headers = { 'content-type': CONTENT_TYPES[type], 'cache-control': FOREVER };
      const compressed = createPrecompressed(body);
      return [
        name,
        async (request: IncomingMessage): Promise<HttpResponse> => {
          const form = await compressed(request);
          return { status: 200, headers: { ...headers, ...form.headers }, body: form.body };
        },
      ];
    }),
  );

  return {
    findFile: (path: string) =>
      path.startsWith(FILES) ? files.get(path.slice(FILES.length)) : undefined,
    isScreen: isConsolePath,
    respond: async (request: IncomingMessage): Promise<HttpResponse> =>
      pageResponse(request, page, { policy: POLICY }),
  };
};
