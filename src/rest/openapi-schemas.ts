import { EVENT_TYPES } from '../domain/events/event-types.js';
import { ERROR_NAMES } from './errors.js';
import {
  anything,
  boolean,
  integer,
  integerOrNull,
  listOf,
  looseObject,
  ref,
  type Schemas,
  strictObject,
  text,
  textOrNull,
  time,
  timeOrNull,
  usually,
} from './json-schema.js';

const TAG_LENGTHS = { minLength: 2, maxLength: 50 };
const TAG_OTHERWISE = 'A value of another length, stored by a version that did not validate it.';

const EVENT_SCHEMAS: Schemas = {
  Tag: {
    ...looseObject('A typed label of a feature.', {
      value: usually('Text of the tag.', TAG_LENGTHS, TAG_OTHERWISE),
      type: usually('Tag type, such as simple.', TAG_LENGTHS, TAG_OTHERWISE),
    }),
    required: ['value', 'type'],
  },
  Event: strictObject(
    'An entry in the event log. The IP address of the author (ip) is never returned: in Unleash, only the Enterprise edition returns it. GraphQL returns it to callers with ADMIN.',
    {
      id: { ...integer('Event ID. IDs increase over time.'), minimum: 1 },
      type: usually(
        'Event type, as recorded.',
        { enum: EVENT_TYPES },
        'A type that newer versions of Unleash record.',
      ),
      createdBy: text('Email address, username or token name of the author.'),
      createdAt: timeOrNull('Timestamp of the event; null in a few very old rows.'),
      createdByUserId: integerOrNull('User ID of the author; -42 for an API token.'),
      data: anything('State after the change: usually an object, but any JSON value.'),
      preData: anything('State before the change: usually an object, but any JSON value.'),
      tags: listOf(
        { anyOf: [ref('Tag'), anything('A tag recorded in another format.')] },
        'Tags of the feature when the event was recorded.',
      ),
      featureName: textOrNull('Feature name. The feature may have been deleted since.'),
      project: textOrNull('Project ID. The project may have been deleted since.'),
      environment: textOrNull('Environment name.'),
      groupType: text('Group type: transaction or change-request. Omitted if not recorded.'),
      groupId: text(
        'ID of the group of events that were written together. Omitted if not recorded: in older events, and in all events before Unleash 7.',
      ),
      label: text('Short human-readable label of the event.'),
      summary: text('One-sentence Markdown summary.'),
    },
    ['groupType', 'groupId'],
  ),
  EventSearchResult: strictObject('A page of matching events.', {
    events: listOf(ref('Event'), 'Newest first.'),
    total: integer('Total number of matching events, regardless of the page.'),
  }),
};

const INTEGRATION_SCHEMAS: Schemas = {
  DeliveredEvent: looseObject(
    'An event as delivered to the integration, without label and summary.',
    {
      id: integer('Event ID.'),
      type: text('Event type.'),
      createdBy: text('Author.'),
      createdByUserId: integerOrNull('User ID of the author.'),
      createdAt: timeOrNull('Timestamp of the event.'),
      data: anything('Data recorded with the event.'),
      preData: anything('State before the change.'),
      tags: anything('Tags of the feature, usually a list of type and value.'),
      featureName: textOrNull('Feature.'),
      project: textOrNull('Project.'),
      environment: textOrNull('Environment.'),
      groupType: text('Group type, since Unleash 7.'),
      groupId: text('ID of the group of events that were written together, since Unleash 7.'),
    },
  ),
  IntegrationEvent: strictObject('The record of one delivery.', {
    id: {
      ...text('Delivery ID. A string, because it may exceed the integers of JavaScript.'),
      pattern: '^\\d+$',
    },
    integrationId: integer('Integration ID.'),
    createdAt: time('When the delivery finished.'),
    state: text(
      'Outcome: success, failed or successWithErrors. Newer Unleash versions may add others.',
    ),
    stateDetails: text('Human-readable details of the outcome. May span several lines.'),
    event: ref('DeliveredEvent'),
    details: looseObject(
      'What the integration sent. The structure depends on the integration.',
      {},
    ),
  }),
  IntegrationEvents: strictObject('A page of delivery records.', {
    integrationEvents: listOf(ref('IntegrationEvent'), 'Newest first.'),
  }),
};

const CLONE_SCHEMAS: Schemas = {
  CloneFeatureRequest: {
    type: 'object',
    description: 'Name and options of the copy. Unknown keys are ignored.',
    properties: {
      name: text('Name of the new feature.'),
      replaceGroupId: {
        ...boolean('Whether to set the group ID of the copied strategies to the new name.'),
        default: true,
      },
    },
    required: ['name'],
  },
};

const ERROR_SCHEMAS: Schemas = {
  Error: strictObject(
    'Why a request was rejected.',
    {
      id: { ...text('Unique ID of this occurrence, also in the log.'), format: 'uuid' },
      name: { ...text('Error type.'), enum: ERROR_NAMES },
      message: text('What is wrong and, where possible, what to do about it.'),
      details: listOf(ref('ErrorDetail'), 'All reasons.'),
      permissions: listOf(text('Name of a permission.'), 'With NoAccessError: what is missing.'),
      clones: strictObject('With OverloadedError and TimeoutError of a clone: what was created.', {
        created: listOf(text('Name of a feature.'), 'Copies that were created.'),
        unknown: listOf(
          text('Name of a feature.'),
          'Copies that may have been created: check, or retry with the same idempotency key.',
        ),
      }),
      path: text('With AuthenticationRequired and no token sent: where people log in.'),
      type: text('With AuthenticationRequired and no token sent: the kind of login.'),
      defaultHidden: boolean('With AuthenticationRequired and no token sent: always false.'),
    },
    ['permissions', 'clones', 'path', 'type', 'defaultHidden'],
  ),
  ErrorDetail: strictObject(
    'A reason why a request was rejected.',
    {
      message: text('The reason.'),
      path: text('Location of the invalid value in the request, such as /query/limit.'),
    },
    ['path'],
  ),
};

export const OPERATION_SCHEMAS: Schemas = {
  ...EVENT_SCHEMAS,
  ...INTEGRATION_SCHEMAS,
  ...CLONE_SCHEMAS,
  ...ERROR_SCHEMAS,
};
