import { useState } from 'react';
import { useQuery } from 'urql';
import { CleanUpQuery } from '../operations.js';
import { CleanUpList, ProjectForm } from '../parts/clean-up.js';
import { Loading, Problem } from '../parts/page.js';
import { messageOf } from './message-of.js';

export const CleanUp = () => {
  const [project, setProject] = useState('');
  const [{ data, fetching, error }] = useQuery({
    query: CleanUpQuery,
    variables: { project },
    pause: project === '',
  });
  const health = data?.project?.health;
  return (
    <>
      <ProjectForm onAsk={setProject} />
      <Loading isOn={fetching} />
      <Problem message={messageOf(error)} />
      {data && !health && <p>There is no such project.</p>}
      {health && (
        <>
          <p>
            {health.cleanUp.totalCount} to look at; health {health.score}.
          </p>
          <CleanUpList candidates={health.cleanUp.nodes} />
        </>
      )}
    </>
  );
};
