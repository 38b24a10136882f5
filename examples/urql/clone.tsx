import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import type { CloneFeatureInput } from '../generated/graphql.js';
import { CloneMutation, ClonePlanQuery } from '../operations.js';
import { CloneForm, ClonePlan, CloneResult } from '../parts/clone.js';
import { Problem } from '../parts/page.js';
import { messageOf } from './message-of.js';

export const Clone = () => {
  const [input, setInput] = useState<CloneFeatureInput>();
  const [planned] = useQuery({
    query: ClonePlanQuery,
    variables: { input: input ?? { featureName: '', newName: '' } },
    pause: input === undefined,
    // A plan is out of date as soon as something changes.
    requestPolicy: 'network-only',
  });
  const [cloned, clone] = useMutation(CloneMutation);
  return (
    <>
      <CloneForm
        isBusy={planned.fetching || cloned.fetching}
        onTry={async (next) => setInput(next)}
        onClone={(next) => clone({ input: next })}
      />
      <Problem message={messageOf(planned.error ?? cloned.error)} />
      <ClonePlan plan={planned.data?.clonePlan} />
      <CloneResult result={cloned.data?.cloneFeature} />
    </>
  );
};
