import type { Plugin } from 'graphql-yoga';
import { isObject } from '../../domain/json.js';
import { ID_PARAMETERS, type Parameters, resolveDocument } from './resolve-document.js';
import type { TrustedDocuments } from './trusted-documents.js';

/** Yoga reads only the parameters it knows from the URL of a GET, and document IDs are not among them. */
const readIds = (search: URLSearchParams): Parameters =>
  Object.fromEntries(
    ID_PARAMETERS.flatMap((name) => {
      const id = search.get(name);
      return id ? [[name, id]] : [];
    }),
  );

/** Replaces the hash, ID or name of a document with its text. */
export const useTrustedDocuments = (documents: TrustedDocuments | undefined): Plugin => ({
  onRequestParse: ({ request, url }) => {
    if (request.method !== 'GET') return;
    return {
      onRequestParseDone: ({ requestParserResult, setRequestParserResult }) =>
        setRequestParserResult({ ...requestParserResult, ...readIds(url.searchParams) }),
    };
  },
  onParams: ({ params, setParams }) => {
    if (isObject(params)) setParams(resolveDocument(documents, params));
  },
});
