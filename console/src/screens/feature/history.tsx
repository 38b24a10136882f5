import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useDocument } from '../../api/use-document.js';
import { FeatureTimelineDocument, type FeatureTimelineQuery } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { ProblemNotice } from '../../ui/problem-notice.js';
import { ShowQuery } from '../../ui/show-query.js';
import { Time } from '../../ui/time.js';
import { useIsNarrow } from '../../ui/use-is-narrow.js';
import { FeatureAsOfPanel } from './feature-as-of.js';
import type { ShownFeature } from './feature-header.js';
import { PeriodTable } from './period-table.js';
import { pastOf, type TimeRange } from './time-range.js';
import { TimeSlider } from './time-slider.js';
import { TimelineBar } from './timeline-bar.js';
import { useTimeTravel } from './use-time-travel.js';

type Timelines = NonNullable<FeatureTimelineQuery['feature']>;

/** From the creation of a feature, or the first known timestamp, to now. */
const rangeOf = ({ createdAt, environments }: Timelines, now: number): TimeRange => {
  const starts = environments.flatMap(({ timeline }) => timeline.map(({ from }) => from));
  const times = [createdAt, ...starts].flatMap((time) => (time === null ? [] : [Date.parse(time)]));
  return { from: Math.min(now - 60_000, ...times), to: now };
};

const Timelines = ({
  timelines,
  range,
  time,
}: {
  timelines: Timelines;
  range: TimeRange;
  time: number | null;
}) =>
  timelines.environments.map(({ environmentName, timeline }) => (
    <div className="timeline-row" key={environmentName}>
      <span className="timeline-name">{environmentName}</span>
      <TimelineBar environmentName={environmentName} periods={timeline} range={range} time={time} />
    </div>
  ));

type JumpsProps = {
  range: TimeRange;
  time: number | null;
  onTravel: (time: number | null) => void;
};

const Jumps = ({ range, time, onTravel }: JumpsProps) => (
  <fieldset className="jumps">
    <legend className="hidden">Show the feature as it stood</legend>
    <Button className="button" aria-pressed={time === null} onPress={() => onTravel(null)}>
      Now
    </Button>
    {pastOf(range).map((past) => (
      <Button
        key={past.name}
        className="button"
        aria-pressed={time === past.time}
        onPress={() => onTravel(past.time)}
      >
        {past.name}
      </Button>
    ))}
  </fieldset>
);

/** When the feature was on and off, and its state at any time. */
export const History = ({ feature }: { feature: ShownFeature }) => {
  const { name } = feature;
  const variables = useMemo(() => ({ name }), [name]);
  const { data, problem, reload } = useDocument(FeatureTimelineDocument, variables);
  const [now] = useState(Date.now);
  const { time, travelTo } = useTimeTravel(now);
  const timelines = data?.feature;
  const range = useMemo(() => timelines && rangeOf(timelines, now), [timelines, now]);
  const panel = useRef<HTMLElement>(null);
  const isNarrow = useIsNarrow();
  const isLoaded = range !== undefined && range !== null;
  // Links to an earlier state show it; on phones it is far down.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once.
  useEffect(() => {
    if (isLoaded && isNarrow && time !== null) panel.current?.scrollIntoView({ block: 'start' });
  }, [isLoaded]);
  /** On phones, the earlier state is below the screen. */
  const jumpTo = (time: number | null) => {
    travelTo(time);
    if (isNarrow) panel.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <section className="panel history" aria-labelledby="history-title" ref={panel}>
      <header className="screen-header">
        <h2 id="history-title">Time travel</h2>
        {range ? <Jumps range={range} time={time} onTravel={jumpTo} /> : null}
        <span className="end">
          <ShowQuery document={FeatureTimelineDocument} variables={variables} />
        </span>
        <p className="lead">
          When it was on and off. Move the slider, or choose a time, to see the feature as it stood
          then.
        </p>
      </header>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {data === undefined && !problem ? (
        <div
          className="timelines-loading"
          style={{ '--environments': feature.environments.length } as CSSProperties}
        >
          <Loading what="the history" />
        </div>
      ) : null}
      {timelines && range ? (
        <>
          <div className="timelines">
            <Timelines timelines={timelines} range={range} time={time} />
            <div className="timeline-row">
              <span />
              <TimeSlider range={range} time={time} onChange={travelTo} />
            </div>
            <div className="timeline-row">
              <span />
              <p className="timeline-ends quiet">
                <Time value={new Date(range.from).toISOString()} />
                <span>Now</span>
              </p>
            </div>
          </div>
          <FeatureAsOfPanel feature={feature} time={time} onTravel={travelTo} />
          <details>
            <summary>All on and off periods as text</summary>
            {timelines.environments.map(({ environmentName, timeline }) => (
              <PeriodTable
                key={environmentName}
                environmentName={environmentName}
                periods={timeline}
              />
            ))}
            {timelines.environments.some(({ timeline }) => timeline[0]?.earlierOmitted) ? (
              <p className="quiet">Each environment shows its newest 100 periods.</p>
            ) : null}
          </details>
        </>
      ) : null}
    </section>
  );
};
