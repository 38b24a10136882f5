import type { TypedDocumentNode } from '@urql/core';
import { print } from 'graphql';
import { settings } from '../settings.js';

/** Opens the query of a panel in GraphiQL. */
export const ShowQuery = ({
  document,
  variables,
}: {
  // biome-ignore lint/suspicious/noExplicitAny: any document.
  document: TypedDocumentNode<any, any>;
  variables: object;
}) => {
  if (!settings.hasGraphiql) return null;
  const search = new URLSearchParams({
    query: print(document),
    variables: JSON.stringify(variables, undefined, 2),
  });
  return (
    <a className="show-query" href={`${settings.basePath}/graphql#${search}`}>
      Show query
    </a>
  );
};
