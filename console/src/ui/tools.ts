import { settings } from '../settings.js';

/** Other pages of the gateway. */
export const TOOLS: readonly { name: string; href: string }[] = [
  ...(settings.hasGraphiql ? [{ name: 'GraphiQL', href: `${settings.basePath}/graphql` }] : []),
  { name: 'Docs', href: `${settings.basePath}/docs/` },
];
