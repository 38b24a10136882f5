import type { CloneFeatureMutation, ClonePlanQuery } from '../../generated/documents.js';

type Refused = Exclude<CloneFeatureMutation['cloneFeature'], { __typename: 'CloneFeaturePayload' }>;

/** Why a clone is rejected, by the plan or by the clone itself. */
export type Refusal = Refused | ClonePlanQuery['clonePlan']['refusals'][number];

/** The part of the dialog that a reason belongs to. */
export type Place = 'name' | 'project' | 'include' | 'form';

export const placeOf = (refusal: Refusal): Place => {
  switch (refusal.__typename) {
    case 'InvalidNameError':
    case 'NameExistsError':
    case 'NamingPatternError':
      return 'name';
    case 'FeatureLimitError':
      return refusal.projectId === null ? 'form' : 'project';
    case 'NoAccessError':
      return refusal.permissions.includes('UPDATE_FEATURE') ? 'include' : 'project';
    case 'NotFoundError':
      return refusal.resource === 'Project' ? 'project' : 'form';
    default:
      return 'form';
  }
};

/** Each reason as sentences. */
export const sentencesOf = (refusal: Refusal): string[] => {
  switch (refusal.__typename) {
    case 'NamingPatternError': {
      const { pattern, example, description } = refusal;
      const rule = description ? ` ${description.replace(/\s+/g, ' ')}` : '';
      const hint = example ? ` Example: ${example}` : '';
      return [`Names in this project must match ${pattern}.${rule}${hint}`];
    }
    case 'CloneRefusedError': {
      const others = refusal.details.filter((detail) => detail !== refusal.message);
      return [refusal.message, ...others];
    }
    case 'IdempotencyKeyError':
      return ['An earlier attempt had other settings. Press Clone again.'];
    default:
      return [refusal.message];
  }
};

/** Sentences at one place, without repetitions. */
export const sentencesAt = (place: Place, refusals: readonly Refusal[]): string[] => [
  ...new Set(refusals.filter((refusal) => placeOf(refusal) === place).flatMap(sentencesOf)),
];
