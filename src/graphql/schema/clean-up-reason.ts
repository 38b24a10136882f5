import type {
  LifetimeRule as Lifetime,
  CleanUpReason as Reason,
} from '../../domain/projects/clean-up/clean-up-reasons.js';
import { builder } from '../builder.js';

export const CleanUpKind = builder.enumType('CleanUpKind', {
  description: 'Kind of reason to remove a feature.',
  values: {
    STALE: { value: 'stale', description: 'The feature is marked stale.' },
    COMPLETED: {
      value: 'completed',
      description: 'The feature is completed: it is in the last lifecycle stage before archiving.',
    },
    FULLY_ROLLED_OUT: {
      value: 'fully-rolled-out',
      description:
        'The feature is enabled for all users in all environments of its project, has no variants and depends on no other feature. Never applies to permanent feature types.',
    },
    NOT_SEEN: {
      value: 'not-seen',
      description:
        'No application has reported using the feature for `notSeenForDays` days, and it is at least as old.',
    },
    POTENTIALLY_STALE: {
      value: 'potentially-stale',
      description:
        'The feature is older than the expected lifetime of its type but is not marked stale.',
    },
  },
} as const);

const LifetimeRule = builder.objectRef<Lifetime>('LifetimeRule').implement({
  description: 'Expected lifetime of a feature type, and the age of one feature of that type.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Feature type.' }),
    lifetimeDays: t.exposeInt('lifetimeDays', {
      description: 'Expected lifetime of the feature type, in days.',
    }),
    ageDays: t.exposeInt('ageDays', { description: 'Age of the feature, in whole days.' }),
  }),
});

export const CleanUpReason = builder.objectRef<Reason>('CleanUpReason').implement({
  description: 'A reason to remove a feature.',
  fields: (t) => ({
    kind: t.expose('kind', { type: CleanUpKind, description: 'Kind of reason.' }),
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the reason started to apply; for NOT_SEEN, when the feature was last seen, or created if never. Null if not recorded; always null for FULLY_ROLLED_OUT.',
    }),
    explanation: t.exposeString('explanation', {
      description: 'The reason as a sentence, including the numbers behind it.',
    }),
    rule: t.expose('rule', {
      type: LifetimeRule,
      nullable: true,
      description: 'Lifetime rule behind a POTENTIALLY_STALE reason. Null for other kinds.',
    }),
  }),
});
