import {
  BadDataError,
  type DomainError,
  ExceedsLimitError,
  ForbiddenError,
  InstanceFullError,
  InvalidNameError,
  InvalidOperationError,
  NameExistsError,
  NotFoundError,
  PatternError,
  ProjectFullError,
  UnstorableTextError,
} from '../../domain/errors.js';
import type { Feature as FeatureRow } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { Feature } from './feature.js';

/** A refusal as a plain value: GraphQL would take an Error that a resolver returns for one that it threw. */
type Refusal = Pick<DomainError, 'id' | 'name' | 'message' | 'details'> & { refusedAs: string };

const ErrorInterface = builder.interfaceRef<Refusal>('Error').implement({
  description: 'Why something was refused.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifies this one occurrence.' }),
    name: t.exposeString('name', { description: 'Kind of error, the same as in REST.' }),
    message: t.exposeString('message', { description: 'What is wrong and what to do about it.' }),
  }),
});

const NameExists = builder.objectRef<Refusal & { archived: boolean }>('NameExistsError').implement({
  description: 'The name belongs to a feature already.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    archived: t.exposeBoolean('archived', {
      description: 'Whether the feature that has the name is archived.',
    }),
  }),
});
const InvalidName = builder.objectRef<Refusal>('InvalidNameError').implement({
  description: 'No feature can have this name.',
  interfaces: [ErrorInterface],
});
const NotFound = builder
  .objectRef<Refusal & { resource: string | null; key: string | null }>('NotFoundError')
  .implement({
    description: 'Something that was named does not exist or is archived.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      resource: t.exposeString('resource', {
        nullable: true,
        description: 'What was looked for, such as `Feature` or `Project`.',
      }),
      key: t.exposeString('key', {
        nullable: true,
        description: 'The name or id it was looked for by.',
      }),
    }),
  });
const CloneRefused = builder.objectRef<Refusal>('CloneRefusedError').implement({
  description: 'The state of the source or of the target project forbids the copy.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    details: t.stringList({
      description: 'All that stands in the way, as far as it was judged.',
      resolve: ({ details }) => details.map(({ message }) => message),
    }),
  }),
});
const NamingPattern = builder
  .objectRef<Refusal & Pick<PatternError, 'pattern' | 'example' | 'description'>>(
    'NamingPatternError',
  )
  .implement({
    description: 'The name misses the naming pattern of the target project.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      pattern: t.exposeString('pattern', { description: 'Regular expression a name must match.' }),
      example: t.exposeString('example', { nullable: true, description: 'A name that matches.' }),
      description: t.exposeString('description', { nullable: true, description: 'Explanation.' }),
    }),
  });
const FeatureLimit = builder
  .objectRef<Refusal & { limit: number; project?: string }>('FeatureLimitError')
  .implement({
    description: 'The target project, or the whole installation, holds as many features as it may.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      limit: t.exposeInt('limit', { description: 'The limit reached.' }),
      project: t.string({
        nullable: true,
        description: 'Project whose limit it is; null for that of the whole installation.',
        resolve: ({ project }) => project ?? null,
      }),
    }),
  });

const CloneFeaturePayload = builder
  .objectRef<{ feature: FeatureRow }>('CloneFeaturePayload')
  .implement({
    description: 'The copy was made.',
    fields: (t) => ({
      feature: t.field({
        type: Feature,
        description: 'The new feature, off in every environment.',
        resolve: ({ feature }) => feature,
      }),
    }),
  });

/** Which refusals a caller is expected to handle, most particular first; all other errors stay errors. */
const REFUSALS = [
  [NameExistsError, NameExists],
  [InvalidNameError, InvalidName],
  [PatternError, NamingPattern],
  [ProjectFullError, FeatureLimit],
  [InstanceFullError, FeatureLimit],
  [NotFoundError, NotFound],
  [ForbiddenError, CloneRefused],
  [InvalidOperationError, CloneRefused],
  [ExceedsLimitError, CloneRefused],
  [BadDataError, CloneRefused],
] as const;

/** A bad argument is no refusal: it is the same error here as everywhere else. */
const typeOf = (error: unknown) =>
  error instanceof UnstorableTextError
    ? undefined
    : REFUSALS.find(([kind]) => error instanceof kind)?.[1];

const CloneFeatureResult = builder.unionType('CloneFeatureResult', {
  description: 'The copy, or the reason why there is none.',
  types: [
    CloneFeaturePayload,
    NameExists,
    InvalidName,
    NamingPattern,
    FeatureLimit,
    CloneRefused,
    NotFound,
  ],
  resolveType: (result) => ('feature' in result ? CloneFeaturePayload : result.refusedAs),
});

const CloneFeatureInput = builder.inputType('CloneFeatureInput', {
  description: 'Which feature to copy, and how.',
  fields: (t) => ({
    feature: t.string({ required: true, description: 'Name of the feature to copy.' }),
    name: t.string({ required: true, description: 'Name of the copy.' }),
    targetProject: t.string({
      description: "Project that receives the copy; the source's own when left out.",
    }),
    replaceGroupId: t.boolean({
      required: true,
      defaultValue: true,
      description:
        'Whether the new name becomes the group id of the copied strategies, which decides who falls into a gradual rollout.',
    }),
  }),
});

builder.mutationField('cloneFeature', (t) =>
  t.field({
    type: CloneFeatureResult,
    description:
      'Copies a feature with its strategies into a project under a new name. Needs CREATE_FEATURE there.',
    args: {
      input: t.arg({
        type: CloneFeatureInput,
        required: true,
        description: 'Which feature to copy, and how.',
      }),
    },
    resolve: async (_root, { input }, { actor, operations }) => {
      const { feature: source, name, targetProject, replaceGroupId } = input;
      try {
        const feature = await operations.cloneFeature(actor, {
          source,
          name,
          replaceGroupId,
          ...(typeof targetProject === 'string' && { targetProject }),
        });
        return { feature };
      } catch (error) {
        const type = typeOf(error);
        if (!type) throw error;
        const refused = error as DomainError;
        return { ...refused, message: refused.message, refusedAs: type.name } as never;
      }
    },
  }),
);
