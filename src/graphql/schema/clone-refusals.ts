import {
  BadDataError,
  type DomainError,
  ExceedsLimitError,
  ForbiddenError,
  InstanceFullError,
  InvalidNameError,
  InvalidOperationError,
  MaintenanceModeError,
  NameExistsError,
  NoAccessError,
  NotFoundError,
  PatternError,
  ProjectFullError,
  UnstorableTextError,
} from '../../domain/errors.js';
import { asStrings } from '../../domain/json.js';
import { builder } from '../builder.js';

/** A refusal as a plain value: GraphQL would take an Error that a resolver returns for one that it threw. */
export type Refusal = Pick<DomainError, 'id' | 'name' | 'message' | 'details' | 'facts'> & {
  refusedAs: string;
};

export const ErrorInterface = builder.interfaceRef<Refusal>('Error').implement({
  description: 'Why something was refused.',
  resolveType: ({ refusedAs }) => refusedAs,
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

const NoAccess = builder.objectRef<Refusal>('NoAccessError').implement({
  description: 'Somebody lacks a permission: the caller, or the gateway itself in the database.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    permissions: t.stringList({
      description:
        'The permissions that are missing, such as `CREATE_FEATURE`; none where the database refuses.',
      resolve: ({ facts }) => [...asStrings(facts['permissions'])],
    }),
  }),
});
const MaintenanceMode = builder.objectRef<Refusal>('MaintenanceModeError').implement({
  description: 'Nothing can be changed for the time being.',
  interfaces: [ErrorInterface],
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

/** What makes an error of the clone itself, and is one reason among others in a plan. */
const FURTHER_REFUSALS = [
  [NoAccessError, NoAccess],
  [MaintenanceModeError, MaintenanceMode],
] as const;

const toRefusal = (error: DomainError, type: { name: string }): Refusal => ({
  ...error,
  message: error.message,
  refusedAs: type.name,
});

/** The members of a result that say why there is none. */
export const REFUSAL_TYPES = [...new Set(REFUSALS.map(([, type]) => type))];

/** The refusal that an error stands for; one that stands for none is thrown on. */
export const refusalOf = (error: unknown): Refusal => {
  const type = typeOf(error);
  if (!type) throw error;
  return toRefusal(error as DomainError, type);
};

/** The same for a plan, which knows more of them. */
export const plannedRefusalOf = (error: DomainError): Refusal => {
  const further = FURTHER_REFUSALS.find(([kind]) => error instanceof kind)?.[1];
  return further ? toRefusal(error, further) : refusalOf(error);
};
