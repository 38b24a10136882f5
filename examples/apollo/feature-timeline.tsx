import { skipToken, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { TimelineQuery } from '../operations.js';
import { Loading, Problem } from '../parts/page.js';
import { Timeline, TimelineForm, type TimelineVariables } from '../parts/timeline.js';

export const FeatureTimeline = () => {
  const [variables, setVariables] = useState<TimelineVariables>();
  const { data, loading, error } = useQuery(
    TimelineQuery,
    variables ? { variables, fetchPolicy: 'network-only' } : skipToken,
  );
  return (
    <>
      <TimelineForm onSubmit={setVariables} />
      <Loading isOn={loading} />
      <Problem message={error?.message} />
      {data && <Timeline feature={data.feature} />}
    </>
  );
};
