import { useState } from 'react';
import { useQuery } from 'urql';
import { TimelineQuery } from '../operations.js';
import { Loading, Problem } from '../parts/page.js';
import { Timeline, TimelineForm, type TimelineVariables } from '../parts/timeline.js';
import { messageOf } from './message-of.js';

export const FeatureTimeline = () => {
  const [variables, setVariables] = useState<TimelineVariables>();
  const [{ data, fetching, error }] = useQuery({
    query: TimelineQuery,
    variables: variables ?? { feature: '', environment: '' },
    pause: !variables,
  });
  return (
    <>
      <TimelineForm onSubmit={setVariables} />
      <Loading isOn={fetching} />
      <Problem message={messageOf(error)} />
      {data && <Timeline feature={data.feature} />}
    </>
  );
};
