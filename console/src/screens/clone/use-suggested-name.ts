import { useMemo } from 'react';
import { useDocument } from '../../api/use-document.js';
import { TakenNamesDocument } from '../../generated/documents.js';
import { candidateNames, firstFree, type Naming } from './suggest-name.js';

/** A free name that fits the target project. Undefined while it is looked up. */
export const useSuggestedName = (name: string, naming: Naming): string | undefined => {
  const variables = useMemo(() => ({ names: candidateNames(name, naming) }), [name, naming]);
  const { data, isLoading } = useDocument(TakenNamesDocument, variables);
  if (isLoading) return undefined;
  return firstFree(variables.names, data?.features.nodes.map((taken) => taken.name) ?? []);
};
