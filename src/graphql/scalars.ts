import { JSONObjectResolver, JSONResolver } from 'graphql-scalars';
import { builder } from './builder.js';
import { DateTime } from './date-time.js';

const JSON_STANDARD =
  'https://ecma-international.org/publications-and-standards/standards/ecma-404/';

builder.addScalarType('DateTime', DateTime, {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description: 'A moment as an RFC 3339 date-time with a zone, such as `2026-03-01T09:30:00.000Z`.',
});
builder.addScalarType('JSON', JSONResolver, {
  specifiedByURL: JSON_STANDARD,
  description:
    'Any JSON value: an object, a list, a text, a number, a boolean or null. A number that a double cannot hold is the text of its digits.',
});
builder.addScalarType('JSONObject', JSONObjectResolver, {
  specifiedByURL: JSON_STANDARD,
  description: 'A JSON object with any keys, such as `{ "region": "eu" }`.',
});
