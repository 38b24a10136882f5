import type {
  LifetimeRule as Lifetime,
  CleanUpReason as Reason,
} from '../../domain/projects/clean-up/clean-up-reasons.js';
import { builder } from '../builder.js';

export const CleanUpKind = builder.enumType('CleanUpKind', {
  description: 'A kind of reason to remove a feature.',
  values: {
    STALE: { value: 'stale', description: 'Somebody marked it stale.' },
    COMPLETED: {
      value: 'completed',
      description: 'Somebody completed it: its lifecycle has come to the stage before the archive.',
    },
    FULLY_ROLLED_OUT: {
      value: 'fully-rolled-out',
      description:
        'It is on for everybody in all environments of its project, has no variants and depends on no other feature; never one of a type that is meant to stay.',
    },
    NEVER_SEEN: {
      value: 'never-seen',
      description: 'No application has ever asked for it, although it is 7 days old or older.',
    },
    POTENTIALLY_STALE: {
      value: 'potentially-stale',
      description: 'It has outlived the expected lifetime of its type without being marked stale.',
    },
  },
} as const);

const LifetimeRule = builder.objectRef<Lifetime>('LifetimeRule').implement({
  description: 'How long features of a type are expected to live, and how old one of them is.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Kind of feature.' }),
    lifetimeDays: t.exposeInt('lifetimeDays', {
      description: 'Days that features of this type are expected to live.',
    }),
    ageDays: t.exposeInt('ageDays', { description: 'Whole days since this one was created.' }),
  }),
});

export const CleanUpReason = builder.objectRef<Reason>('CleanUpReason').implement({
  description: 'One reason to remove a feature.',
  fields: (t) => ({
    kind: t.expose('kind', { type: CleanUpKind, description: 'What kind of reason it is.' }),
    since: t.expose('since', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when it applies; null where that is not recorded, as for every FULLY_ROLLED_OUT.',
    }),
    explanation: t.exposeString('explanation', {
      description: 'The reason as a sentence, with its figures.',
    }),
    rule: t.expose('rule', {
      type: LifetimeRule,
      nullable: true,
      description: 'The rule that made it so, for POTENTIALLY_STALE; null for other kinds.',
    }),
  }),
});
