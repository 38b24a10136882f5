import { ERROR_NAMES } from './errors.js';
import {
  answered,
  anything,
  integer,
  integerOrNull,
  listOf,
  ref,
  type Schemas,
  stored,
  text,
  textOrNull,
  time,
  timeOrNull,
  truth,
} from './json-schema.js';

const EVENT_SCHEMAS: Schemas = {
  Tag: stored('A typed label of a feature.', {
    value: text('What the tag says.'),
    type: text('Which kind of tag it is.'),
  }),
  Event: answered('One recorded change or occurrence.', {
    id: { ...integer('Grows with every event.'), minimum: 1 },
    type: text('Kind of event, as recorded; databases may hold kinds newer than any list.'),
    createdBy: text('E-mail, user name or token name of the author.'),
    createdAt: timeOrNull('When it happened; null in a few very old rows.'),
    createdByUserId: integerOrNull('Numeric id of the author; -42 for an API token.'),
    data: anything('What the event tells of its subject: usually an object, but any JSON value.'),
    preData: anything('The subject before the change: usually an object, but any JSON value.'),
    tags: listOf(ref('Tag'), 'Tags of the feature when the event was recorded.'),
    featureName: textOrNull('Feature the event is about; it may be gone since.'),
    project: textOrNull('Project the event is about; it may be gone since.'),
    environment: textOrNull('Environment the event is about.'),
    label: text('Short name of what happened.'),
    summary: text('One sentence in Markdown.'),
  }),
  EventSearchResult: answered('One page of the events found.', {
    events: listOf(ref('Event'), 'Newest first.'),
    total: integer('Number of all events found, whatever the page.'),
  }),
};

const INTEGRATION_SCHEMAS: Schemas = {
  DeliveredEvent: stored(
    'An event as it was handed to the integration; without label and summary.',
    {
      id: integer('Id of the event.'),
      type: text('Kind of event.'),
      createdBy: text('Author.'),
      createdByUserId: integerOrNull('Numeric id of the author.'),
      createdAt: timeOrNull('When it happened.'),
      data: anything('What the event tells of its subject.'),
      preData: anything('The subject before the change.'),
      tags: anything('Tags of the feature, usually a list of type and value.'),
      featureName: textOrNull('Feature.'),
      project: textOrNull('Project.'),
      environment: textOrNull('Environment.'),
    },
  ),
  IntegrationEvent: answered('The record of one delivery.', {
    id: { ...text('A number too large for some JSON readers, hence a string.'), pattern: '^\\d+$' },
    integrationId: integer('The integration that was delivered to.'),
    createdAt: time('When the delivery ended.'),
    state: text('How it ended: success, failed or successWithErrors; others may come.'),
    stateDetails: text('Why, in words; may have several lines.'),
    event: ref('DeliveredEvent'),
    details: stored('What the integration sent, in its own form.', {}),
  }),
  IntegrationEvents: answered('One page of delivery records.', {
    integrationEvents: listOf(ref('IntegrationEvent'), 'Newest first.'),
  }),
};

const CLONE_SCHEMAS: Schemas = {
  CloneFeatureRequest: {
    type: 'object',
    description: 'How to name the copy. Further keys are ignored.',
    properties: {
      name: text('Name of the new feature.'),
      replaceGroupId: {
        ...truth('Whether the new name becomes the group id of the copied strategies.'),
        default: true,
      },
    },
    required: ['name'],
  },
};

const ERROR_SCHEMAS: Schemas = {
  Error: answered(
    'Why a request was refused.',
    {
      id: { ...text('Identifies this one refusal, here and in the log.'), format: 'uuid' },
      name: { ...text('Kind of error.'), enum: ERROR_NAMES },
      message: text('What went wrong, and where there is one, the way out.'),
      details: listOf(ref('ErrorDetail'), 'The reasons one by one.'),
      permissions: listOf(text('Name of a permission.'), 'With NoAccessError: what is missing.'),
      path: text('With AuthenticationRequired and no token sent: where people log in.'),
      type: text('With AuthenticationRequired and no token sent: the kind of login.'),
      defaultHidden: truth('With AuthenticationRequired and no token sent: always false.'),
    },
    ['permissions', 'path', 'type', 'defaultHidden'],
  ),
  ErrorDetail: answered(
    'One reason of a refusal.',
    {
      message: text('The reason.'),
      path: text('Where in the request the reason lies, such as /query/limit.'),
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
