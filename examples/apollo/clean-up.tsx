import { skipToken, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { CleanUpQuery } from '../operations.js';
import { CleanUpReport, ProjectForm } from '../parts/clean-up.js';
import { Loading, Problem } from '../parts/page.js';

export const CleanUp = () => {
  const [project, setProject] = useState<string>();
  const { data, loading, error } = useQuery(
    CleanUpQuery,
    project ? { variables: { project } } : skipToken,
  );
  return (
    <>
      <ProjectForm onSubmit={setProject} />
      <Loading isOn={loading} />
      <Problem message={error?.message} />
      <CleanUpReport answer={data} />
    </>
  );
};
