import { useLazyQuery, useMutation } from '@apollo/client/react';
import { CloneMutation, ClonePlanQuery } from '../operations.js';
import { CloneForm, ClonePlan, CloneResult } from '../parts/clone.js';
import { Problem } from '../parts/page.js';

export const Clone = () => {
  // A plan is out of date as soon as something changes.
  const [plan, planned] = useLazyQuery(ClonePlanQuery, { fetchPolicy: 'no-cache' });
  const [clone, cloned] = useMutation(CloneMutation);
  return (
    <>
      <CloneForm
        isBusy={planned.loading || cloned.loading}
        onTry={(input) => plan({ variables: { input } })}
        onClone={(input) => clone({ variables: { input } })}
      />
      <Problem message={(planned.error ?? cloned.error)?.message} />
      <ClonePlan plan={planned.data?.clonePlan} />
      <CloneResult result={cloned.data?.cloneFeature} />
    </>
  );
};
