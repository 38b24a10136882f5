import type { Problem } from '../api/problem.js';
import { useDocument } from '../api/use-document.js';
import { WhoAmIDocument, type WhoAmIQuery } from '../generated/documents.js';

export type Viewer = WhoAmIQuery['viewer'];

export type Identity =
  | { state: 'loading' }
  | { state: 'known'; viewer: Viewer }
  /** No token, or one that is not valid. */
  | { state: 'unknown'; message: string }
  | { state: 'failed'; problem: Problem };

/** Who the token or the sign-in session belongs to. */
export const useIdentity = (): { identity: Identity; reload: () => void } => {
  const { data, problem, reload } = useDocument(WhoAmIDocument, {}, { isFresh: false });
  if (data) return { identity: { state: 'known', viewer: data.viewer }, reload };
  if (problem?.kind === 'signed-out') {
    return { identity: { state: 'unknown', message: problem.message }, reload };
  }
  if (problem) return { identity: { state: 'failed', problem }, reload };
  return { identity: { state: 'loading' }, reload };
};
