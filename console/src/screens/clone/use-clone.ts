import { useRef, useState } from 'react';
import { useMutation } from 'urql';
import { type Problem, problemOf } from '../../api/problem.js';
import {
  CloneFeatureDocument,
  type CloneFeatureInput,
  type CloneFeatureMutation,
} from '../../generated/documents.js';
import { createIdempotencyKey } from './idempotency-key.js';
import type { Refusal } from './refusal.js';

type Created = Extract<
  CloneFeatureMutation['cloneFeature'],
  { __typename: 'CloneFeaturePayload' }
>['feature'];

export type CloneState =
  | { kind: 'ready' }
  | { kind: 'running' }
  | { kind: 'done'; feature: Created }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'failed'; problem: Problem };

/** Clones at most once: a repeated attempt with the same input has the same key. */
export const useClone = () => {
  const [state, setState] = useState<CloneState>({ kind: 'ready' });
  const [, execute] = useMutation(CloneFeatureDocument);
  const attempt = useRef({ input: '', key: '' });

  const clone = async (input: CloneFeatureInput): Promise<void> => {
    const text = JSON.stringify(input);
    if (attempt.current.input !== text) {
      attempt.current = { input: text, key: createIdempotencyKey() };
    }
    setState({ kind: 'running' });
    const { data, error } = await execute({
      input: { ...input, idempotencyKey: attempt.current.key },
    });
    const result = data?.cloneFeature;
    if (result === undefined) {
      setState(error ? { kind: 'failed', problem: problemOf(error) } : { kind: 'ready' });
    } else if (result.__typename === 'CloneFeaturePayload') {
      setState({ kind: 'done', feature: result.feature });
    } else {
      if (result.__typename === 'IdempotencyKeyError') attempt.current = { input: '', key: '' };
      setState({ kind: 'refused', refusal: result });
    }
  };
  return { state, clone, reset: () => setState({ kind: 'ready' }) };
};
