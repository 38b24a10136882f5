import { useMutation } from 'urql';
import { CloneMutation } from '../operations.js';
import { CloneForm, CloneResult } from '../parts/clone.js';
import { Problem } from '../parts/page.js';
import { messageOf } from './message-of.js';

export const Clone = () => {
  const [{ data, fetching, error }, clone] = useMutation(CloneMutation);
  return (
    <>
      <CloneForm isBusy={fetching} onClone={(input) => clone({ input })} />
      <Problem message={messageOf(error)} />
      <CloneResult result={data?.cloneFeature} />
    </>
  );
};
