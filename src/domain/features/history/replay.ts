import { type FeatureState, nothingTold } from './feature-state.js';
import { isOwn } from './history-event.js';
import { replayInEnvironments } from './replay-environments.js';
import { aspectsAfter, projectAfter } from './replay-metadata.js';
import { type TaggedEvent, tagsAfter, tagsLeftBy, UNTAGGING_TYPES } from './replay-tags.js';

/** An event that belongs to no single feature. */
const replayGeneral = (event: TaggedEvent, state: FeatureState): FeatureState => {
  if (event.type === 'drop-features') {
    return nothingTold(state.existence === 'UNKNOWN' ? 'UNKNOWN' : 'DELETED');
  }
  if (state.existence === 'DELETED') return state;
  if (UNTAGGING_TYPES.includes(event.type)) {
    const tags = tagsLeftBy(event, state.aspects.tags);
    return { ...state, aspects: { ...state.aspects, tags } };
  }
  replayInEnvironments(event, state);
  return state;
};

/** An event of the feature itself, or one that names it in its payload. */
const replayOwn = (event: TaggedEvent, before: FeatureState): FeatureState => {
  if (event.type === 'feature-deleted') return nothingTold('DELETED');

  const isNew = event.type === 'feature-created' || before.existence === 'DELETED';
  const state = isNew ? nothingTold('EXISTED') : before;
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

/** What is true of a feature after its events, oldest first. */
export const replay = (events: readonly TaggedEvent[]): FeatureState => {
  let state = nothingTold('UNKNOWN');
  for (const event of events) {
    state = isOwn(event) ? replayOwn(event, state) : replayGeneral(event, state);
  }
  return state;
};
