import { isScalarType } from 'graphql';

const ROOTS = ['Query', 'Mutation', 'Subscription'];

/** Pages of the schema reference. A type belongs to the first one that matches it. */
export const SUBJECTS = [
  {
    name: 'operations',
    title: 'Queries, mutations, subscriptions',
    intro: 'The root types of the schema.',
    matches: ({ name }) => ROOTS.includes(name),
  },
  {
    name: 'cloning',
    title: 'Cloning',
    intro: 'The input of a clone, its plan, its result and its errors.',
    matches: ({ name }) => /^(Clone|Planned|Omitted)|Error$/.test(name),
  },
  {
    name: 'integrations',
    title: 'Integrations',
    intro: 'Integrations and their deliveries.',
    matches: ({ name }) => /^(Integration|Deliver|CommonDelivery)/.test(name),
  },
  {
    name: 'events',
    title: 'Events',
    intro: 'The event log, its filters, and activity over time.',
    matches: ({ name }) => /^(Event|Activity|ChangeKind)/.test(name),
  },
  {
    name: 'projects',
    title: 'Projects',
    intro: 'Projects, their environments, their health and what to clean up.',
    matches: ({ name }) => /^(Project|CleanUp|LifetimeRule|Environment)/.test(name),
  },
  {
    name: 'features',
    title: 'Features',
    intro: 'Features, their strategies and variants, now and at any timestamp.',
    matches: ({ name }) =>
      /^(Feature|Strategy|DefaultStrategy|Variant|Constraint|Segment|Tag|Enabled)/.test(name),
  },
  {
    name: 'scalars',
    title: 'Scalars',
    intro: 'Values without fields.',
    matches: isScalarType,
  },
  {
    name: 'general',
    title: 'General types',
    intro: 'The caller, paging, common filters, object identification and federation.',
    matches: () => true,
  },
];

export const subjectOf = (type) => SUBJECTS.find(({ matches }) => matches(type));
