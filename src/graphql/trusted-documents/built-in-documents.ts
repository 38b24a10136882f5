import { bareId, type TrustedDocument, type TrustedDocuments } from './trusted-documents.js';

/** Adds the documents of the console, by hash, to those of the deployment. */
export const withBuiltIn = (
  documents: TrustedDocuments | undefined,
  texts: Readonly<Record<string, string>>,
): TrustedDocuments => {
  const builtIn = new Map(
    Object.entries(texts).map(([hash, text]): [string, TrustedDocument] => [
      hash,
      { text, names: [] },
    ]),
  );
  return {
    only: documents?.only ?? false,
    hasFolder: documents?.hasFolder ?? false,
    find: (id) => documents?.find(id) ?? builtIn.get(bareId(id)),
  };
};
