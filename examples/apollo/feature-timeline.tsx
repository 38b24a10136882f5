import { skipToken, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { TimelineQuery } from '../operations.js';
import { Loading, Problem } from '../parts/page.js';
import { Timeline, TimelineForm, type TimelineQuestion } from '../parts/timeline.js';

export const FeatureTimeline = () => {
  const [question, setQuestion] = useState<TimelineQuestion>();
  const { data, loading, error } = useQuery(
    TimelineQuery,
    question ? { variables: question, fetchPolicy: 'network-only' } : skipToken,
  );
  return (
    <>
      <TimelineForm onAsk={setQuestion} />
      <Loading isOn={loading} />
      <Problem message={error?.message} />
      {data && <Timeline feature={data.feature} />}
    </>
  );
};
