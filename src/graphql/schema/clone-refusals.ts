import {
  BadDataError,
  type DomainError,
  ExceedsLimitError,
  ForbiddenError,
  IdempotencyKeyError,
  InstanceFullError,
  InvalidKeyError,
  InvalidNameError,
  InvalidOperationError,
  MaintenanceModeError,
  NameExistsError,
  NoAccessError,
  NotFoundError,
  PatternError,
  ProjectFullError,
} from '../../domain/errors.js';
import { isCloneRefusal } from '../../domain/features/clone-outcome.js';
import { asStrings } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Project } from './project.js';

/** A plain object, because GraphQL treats an Error returned by a resolver as thrown. */
export type Refusal = Pick<DomainError, 'id' | 'message' | 'details' | 'facts'> & {
  name: string;
  refusedAs: string;
};

export const ErrorInterface = builder.interfaceRef<Refusal>('Error').implement({
  description: 'Reason why an operation was rejected.',
  resolveType: ({ refusedAs }) => refusedAs,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique ID of this occurrence.' }),
    name: t.exposeString('name', { description: 'Error type, the same as in REST.' }),
    message: t.exposeString('message', { description: 'What is wrong and what to do about it.' }),
  }),
});

const NameExists = builder
  .objectRef<Refusal & { archived: boolean | null }>('NameExistsError')
  .implement({
    description: 'The name is already taken by a feature.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      archived: t.exposeBoolean('archived', {
        nullable: true,
        description:
          'Whether the existing feature is archived. Null if you may not see it, or if it was created at the same time.',
      }),
    }),
  });
const InvalidName = builder.objectRef<Refusal>('InvalidNameError').implement({
  description: 'The name is not a valid feature name.',
  interfaces: [ErrorInterface],
});
const NotFound = builder
  .objectRef<Refusal & { resource: string | null; key: string | null }>('NotFoundError')
  .implement({
    description: 'A resource named in the input does not exist or is archived.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      resource: t.exposeString('resource', {
        nullable: true,
        description: 'Type of the missing resource, such as `Feature` or `Project`.',
      }),
      key: t.exposeString('key', {
        nullable: true,
        description: 'Name or ID of the missing resource.',
      }),
    }),
  });
const CloneRefused = builder.objectRef<Refusal>('CloneRefusedError').implement({
  description:
    'The clone is not possible, because of the state of the source or of the target project, or because of the input.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    details: t.stringList({
      description: 'Everything that prevents the clone, as far as it was checked.',
      resolve: ({ details }) => details.map(({ message }) => message),
    }),
  }),
});
const NamingPattern = builder
  .objectRef<Refusal & Pick<PatternError, 'pattern' | 'example' | 'description'>>(
    'NamingPatternError',
  )
  .implement({
    description: 'The name does not match the naming pattern of the target project.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      pattern: t.exposeString('pattern', {
        description: 'Regular expression that names must match.',
      }),
      example: t.exposeString('example', { nullable: true, description: 'A matching name.' }),
      description: t.exposeString('description', {
        nullable: true,
        description: 'Explanation of the pattern.',
      }),
    }),
  });
const FeatureLimit = builder
  .objectRef<Refusal & { limit: number; project?: string }>('FeatureLimitError')
  .implement({
    description: 'The target project or the Unleash instance has reached its feature limit.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      limit: t.exposeInt('limit', { description: 'The limit that was reached.' }),
      projectId: t.string({
        nullable: true,
        description:
          'ID of the project whose limit was reached. Null for the limit of the Unleash instance.',
        resolve: ({ project }) => project ?? null,
      }),
      project: t.field({
        type: Project,
        nullable: true,
        description: 'Project whose limit was reached. Null for the limit of the Unleash instance.',
        resolve: ({ project }, _args, { loaders }) =>
          project === undefined ? null : loaders.project.load(project),
      }),
    }),
  });

const NoAccess = builder.objectRef<Refusal>('NoAccessError').implement({
  description: 'The caller lacks a permission, or the gateway lacks access in the database.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    permissions: t.stringList({
      description:
        'Missing permissions, such as `CREATE_FEATURE`. Empty if the database denies access.',
      resolve: ({ facts }) => [...asStrings(facts['permissions'])],
    }),
  }),
});
const MaintenanceMode = builder.objectRef<Refusal>('MaintenanceModeError').implement({
  description: 'Unleash is in maintenance mode, so nothing can be changed until it ends.',
  interfaces: [ErrorInterface],
});

const IdempotencyKey = builder.objectRef<Refusal>('IdempotencyKeyError').implement({
  description:
    'The idempotency key is not valid, belongs to another clone, or its copy was deleted. Use a new key for each clone.',
  interfaces: [ErrorInterface],
});

/** Errors that clients are expected to handle, most specific first. All others stay GraphQL errors. */
const REFUSALS = [
  [NameExistsError, NameExists],
  [InvalidNameError, InvalidName],
  [PatternError, NamingPattern],
  [ProjectFullError, FeatureLimit],
  [InstanceFullError, FeatureLimit],
  [NotFoundError, NotFound],
  [NoAccessError, NoAccess],
  [MaintenanceModeError, MaintenanceMode],
  [IdempotencyKeyError, IdempotencyKey],
  [InvalidKeyError, IdempotencyKey],
  [ForbiddenError, CloneRefused],
  [InvalidOperationError, CloneRefused],
  [ExceedsLimitError, CloneRefused],
  [BadDataError, CloneRefused],
] as const;

const typeOf = (error: unknown) =>
  isCloneRefusal(error) ? REFUSALS.find(([kind]) => error instanceof kind)?.[1] : undefined;

export const REFUSAL_TYPES = [...new Set(REFUSALS.map(([, type]) => type))];

/** Rethrows errors that are not refusals. */
export const refusalOf = (error: unknown): Refusal => {
  const type = typeOf(error);
  if (!type) throw error;
  const known = error as DomainError;
  return { ...known, message: known.message, refusedAs: type.name };
};
