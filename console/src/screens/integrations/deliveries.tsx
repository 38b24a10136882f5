import { useEffect, useMemo, useState } from 'react';
import { Button } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import {
  type DeliveryState,
  IntegrationDeliveriesDocument,
  type IntegrationPageQuery,
} from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { useRowKeys } from '../../ui/use-row-keys.js';
import { Delivery } from './delivery.js';
import { StateFilter } from './state-filter.js';
import { useIntegrationView } from './use-integration-view.js';

const PAGE_SIZE = 20;

type StateCounts = NonNullable<IntegrationPageQuery['integration']>['stats']['byState'];

const emptyText = (state: DeliveryState | null): string =>
  state === null
    ? 'No delivery is on record. Unleash records a delivery when it sends an event to an integration.'
    : 'No delivery on record has this outcome.';

/** The deliveries of one integration, newest first, one page at a time. */
export const Deliveries = ({ id, byState }: { id: number; byState: StateCounts }) => {
  const { view, change } = useIntegrationView();
  const { state } = view;
  /** End of each page before the shown one. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another list.
  useEffect(() => setCursors([]), [state]);
  const after = cursors.at(-1) ?? null;
  const variables = useMemo(
    () => ({
      id,
      first: PAGE_SIZE,
      after,
      filter: state === null ? null : { state: { is: state } },
    }),
    [id, after, state],
  );
  const { data, problem, isLoading, reload } = useDocument(
    IntegrationDeliveriesDocument,
    variables,
  );
  const list = useRowKeys<HTMLOListElement>('.delivery-open');
  const page = data?.integration?.deliveries;
  const endCursor = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;

  return (
    <section aria-labelledby="deliveries-title" className="deliveries">
      <header className="screen-header">
        <h2 id="deliveries-title">Deliveries</h2>
        <ShowQuery document={IntegrationDeliveriesDocument} variables={variables} />
      </header>
      <StateFilter byState={byState} state={state} onChange={(next) => change({ state: next })} />
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {!page && !problem ? <Loading what="deliveries" /> : null}
      {page?.nodes.length === 0 ? <p className="quiet">{emptyText(state)}</p> : null}
      {page && page.nodes.length > 0 ? (
        <ol
          ref={list}
          className="plain"
          aria-label="Deliveries, newest first"
          aria-busy={isLoading}
        >
          {page.nodes.map((delivery) => (
            <Delivery
              key={delivery.id}
              delivery={delivery}
              onExplain={(eventId) => change({ explain: String(eventId) })}
            />
          ))}
        </ol>
      ) : null}
      {cursors.length > 0 || endCursor ? (
        <nav className="pages" aria-label="Pages of deliveries">
          <Button
            className="button"
            isDisabled={cursors.length === 0}
            onPress={() => setCursors(cursors.slice(0, -1))}
          >
            Newer
          </Button>
          <span className="quiet" role="status">
            Page {cursors.length + 1}
          </span>
          <Button
            className="button"
            isDisabled={!endCursor || isLoading}
            onPress={() => endCursor && setCursors([...cursors, endCursor])}
          >
            Older
          </Button>
        </nav>
      ) : null}
    </section>
  );
};
