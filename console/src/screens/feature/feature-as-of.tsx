import { useMemo } from 'react';
import { Button } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { FeatureAsOfDocument } from '../../generated/documents.js';
import { ChangeList } from '../../ui/change-list.js';
import { countOf } from '../../ui/count.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { Sentence } from '../../ui/sentence.js';
import { ShowQuery } from '../../ui/show-query.js';
import { Time } from '../../ui/time.js';
import { useDebounced } from '../../ui/use-debounced.js';
import { type FeatureThen, PastEnvironments, PastFacts } from './as-of-facts.js';
import { readableChanges } from './change-text.js';
import type { ShownFeature } from './feature-header.js';
import { namesOf } from './names.js';
import { existenceText, notComparedText } from './unknown-text.js';

type Props = {
  feature: ShownFeature;
  /** Null for now. */
  time: number | null;
  onTravel: (time: number) => void;
};

const Neighbours = ({ then, onTravel }: { then: FeatureThen; onTravel: Props['onTravel'] }) => {
  const { lastEvent, nextEvent } = then;
  return (
    <div className="neighbours">
      <div>
        <Button
          className="button"
          isDisabled={lastEvent === null}
          onPress={() => lastEvent && onTravel(Date.parse(lastEvent.createdAt) - 1)}
        >
          ← Before the last event
        </Button>
        <p className="quiet">
          {lastEvent ? <Sentence markdown={lastEvent.summary} /> : 'No earlier event.'}
        </p>
      </div>
      <div>
        <Button
          className="button"
          isDisabled={nextEvent === null}
          onPress={() => nextEvent && onTravel(Date.parse(nextEvent.createdAt))}
        >
          To the next event →
        </Button>
        <p className="quiet">
          {nextEvent ? <Sentence markdown={nextEvent.summary} /> : 'No later event.'}
        </p>
      </div>
    </div>
  );
};

/** The feature at a timestamp, and what differs from now. */
export const FeatureAsOfPanel = ({ feature, time, onTravel }: Props) => {
  const settled = useDebounced(time);
  const variables = useMemo(
    () => ({ name: feature.name, time: new Date(settled ?? 0).toISOString() }),
    [feature.name, settled],
  );
  const { data, problem, isLoading, reload } = useDocument(FeatureAsOfDocument, variables, {
    isPaused: settled === null,
    isFresh: false,
  });
  if (time === null) return null;
  const then = data?.feature?.asOf;
  const comparison = data?.feature?.compare;
  const isCurrent = then !== undefined && !isLoading && time === settled;
  const names = namesOf(feature, then);
  return (
    <section className="as-of" aria-labelledby="as-of-title" aria-busy={!isCurrent}>
      <header className="screen-header">
        <h3 id="as-of-title">
          As it stood on <Time value={new Date(time).toISOString()} />
        </h3>
        <ShowQuery document={FeatureAsOfDocument} variables={variables} />
      </header>
      <p className="hidden" role="status">
        {isCurrent && comparison && then.existence === 'EXISTED'
          ? `${countOf(comparison.changes.length, 'difference')} from now`
          : ''}
      </p>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {then === undefined && !problem ? <Loading what="the earlier state" /> : null}
      {then && comparison ? (
        <div className="as-of-state" data-waiting={!isCurrent || undefined}>
          {then.existence === 'EXISTED' ? (
            <>
              <PastFacts then={then} />
              <PastEnvironments then={then} />
              <h4>Compared with now</h4>
              {comparison.changes.length === 0 ? (
                <p>Nothing that is known differs from now.</p>
              ) : (
                <ChangeList
                  changes={readableChanges(comparison.changes, names)}
                  sides={['Then', 'Now']}
                />
              )}
              {comparison.unknown.length === 0 ? null : (
                <p className="quiet">{notComparedText(comparison.unknown, names)}</p>
              )}
            </>
          ) : (
            <p>{existenceText(then)}</p>
          )}
          <Neighbours then={then} onTravel={onTravel} />
        </div>
      ) : null}
    </section>
  );
};
