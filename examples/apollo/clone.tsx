import { useMutation } from '@apollo/client/react';
import { CloneMutation } from '../operations.js';
import { CloneForm, CloneResult } from '../parts/clone.js';
import { Problem } from '../parts/page.js';

export const Clone = () => {
  const [clone, { data, loading, error }] = useMutation(CloneMutation, { errorPolicy: 'all' });
  return (
    <>
      <CloneForm isBusy={loading} onClone={(input) => clone({ variables: { input } })} />
      <Problem message={error?.message} />
      <CloneResult result={data?.cloneFeature} />
    </>
  );
};
