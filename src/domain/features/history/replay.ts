import { visitInSlices } from '../../work.js';
import { type FeatureState, unrecordedState } from './feature-state.js';
import { isDeletion, isOwn } from './history-event.js';
import { replayInEnvironments } from './replay-environments.js';
import { aspectsAfter, projectAfter } from './replay-metadata.js';
import { type TaggedEvent, tagsAfter, tagsAfterRemoval, UNTAGGING_TYPES } from './replay-tags.js';

/** Few enough for a fraction of a slice. */
const EVENTS_AT_ONCE = 50;

/** Replays an event of no single feature. */
const replayGeneral = (event: TaggedEvent, state: FeatureState): FeatureState => {
  if (event.type === 'drop-features') {
    return unrecordedState(state.existence === 'UNKNOWN' ? 'UNKNOWN' : 'DELETED');
  }
  if (state.existence === 'DELETED') return state;
  if (UNTAGGING_TYPES.includes(event.type)) {
    const tags = tagsAfterRemoval(event, state.aspects.tags);
    return { ...state, aspects: { ...state.aspects, tags } };
  }
  replayInEnvironments(event, state);
  return state;
};

/** Replays an event of the feature itself, or one that names it in its payload. */
const replayOwn = (event: TaggedEvent, before: FeatureState): FeatureState => {
  if (isDeletion(event)) return unrecordedState('DELETED');

  const isNew = event.type === 'feature-created' || before.existence === 'DELETED';
  const state = isNew ? unrecordedState('EXISTED') : before;
  replayInEnvironments(event, state);
  const aspects = aspectsAfter(event, state.aspects);
  return {
    ...state,
    existence: 'EXISTED',
    aspects: {
      ...aspects,
      project: projectAfter(event, aspects),
      tags: tagsAfter(event, aspects.tags),
    },
  };
};

/** State of a feature after one more event. May change the state before. */
export const replayEvent = (before: FeatureState, event: TaggedEvent): FeatureState =>
  isOwn(event) ? replayOwn(event, before) : replayGeneral(event, before);

/** State of a feature after its events, oldest first. */
export const replay = async (events: readonly TaggedEvent[]): Promise<FeatureState> => {
  let state = unrecordedState('UNKNOWN');
  const step = (event: TaggedEvent): void => {
    state = replayEvent(state, event);
  };
  await visitInSlices(events, step, EVENTS_AT_ONCE);
  return state;
};
