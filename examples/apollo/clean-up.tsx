import { skipToken, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { CleanUpQuery } from '../operations.js';
import { CleanUpList, ProjectForm } from '../parts/clean-up.js';
import { Loading, Problem } from '../parts/page.js';

export const CleanUp = () => {
  const [project, setProject] = useState<string>();
  const { data, loading, error } = useQuery(
    CleanUpQuery,
    project ? { variables: { project } } : skipToken,
  );
  const health = data?.project?.health;
  return (
    <>
      <ProjectForm onAsk={setProject} />
      <Loading isOn={loading} />
      <Problem message={error?.message} />
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
