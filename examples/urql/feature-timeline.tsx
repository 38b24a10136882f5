import { useState } from 'react';
import { useQuery } from 'urql';
import { TimelineQuery } from '../operations.js';
import { Loading, Problem } from '../parts/page.js';
import { Timeline, TimelineForm, type TimelineQuestion } from '../parts/timeline.js';
import { messageOf } from './message-of.js';

export const FeatureTimeline = () => {
  const [question, setQuestion] = useState<TimelineQuestion>();
  const [{ data, fetching, error }] = useQuery({
    query: TimelineQuery,
    variables: question ?? { feature: '', environment: '' },
    pause: !question,
  });
  return (
    <>
      <TimelineForm onAsk={setQuestion} />
      <Loading isOn={fetching} />
      <Problem message={messageOf(error)} />
      {data && <Timeline feature={data.feature} />}
    </>
  );
};
