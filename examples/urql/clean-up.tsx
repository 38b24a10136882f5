import { useState } from 'react';
import { useQuery } from 'urql';
import { CleanUpQuery } from '../operations.js';
import { CleanUpReport, ProjectForm } from '../parts/clean-up.js';
import { Loading, Problem } from '../parts/page.js';
import { messageOf } from './message-of.js';

export const CleanUp = () => {
  const [project, setProject] = useState('');
  const [{ data, fetching, error }] = useQuery({
    query: CleanUpQuery,
    variables: { project },
    pause: project === '',
  });
  return (
    <>
      <ProjectForm onSubmit={setProject} />
      <Loading isOn={fetching} />
      <Problem message={messageOf(error)} />
      <CleanUpReport answer={data} />
    </>
  );
};
