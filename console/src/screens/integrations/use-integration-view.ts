import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { DeliveryState } from '../../generated/documents.js';

const STATES: readonly string[] = ['SUCCESS', 'SUCCESS_WITH_ERRORS', 'FAILED', 'OTHER'];

/** What the page of an integration shows: the state of the URL. */
export type IntegrationView = {
  /** Null: deliveries of every outcome. */
  state: DeliveryState | null;
  /** ID of the event to explain, as typed. */
  explain: string;
};

const readView = (search: string): IntegrationView => {
  const parameters = new URLSearchParams(search);
  const state = parameters.get('state') ?? '';
  return {
    state: STATES.includes(state) ? (state as DeliveryState) : null,
    explain: parameters.get('explain') ?? '',
  };
};

const writeView = ({ state, explain }: IntegrationView): string =>
  new URLSearchParams([
    ...(state === null ? [] : [['state', state]]),
    ...(explain === '' ? [] : [['explain', explain]]),
  ]).toString();

export const useIntegrationView = () => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const view = useMemo(() => readView(search), [search]);
  const change = useCallback(
    (changes: Partial<IntegrationView>) => {
      const query = writeView({ ...view, ...changes });
      if (query === writeView(view)) return;
      navigate(query === '' ? path : `${path}?${query}`);
    },
    [view, path, navigate],
  );
  return { view, change };
};
