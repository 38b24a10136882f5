import { JSONObjectResolver, JSONResolver } from 'graphql-scalars';
import { builder } from './builder.js';
import { DateTime } from './date-time.js';
import { Duration } from './duration.js';

const JSON_STANDARD =
  'https://ecma-international.org/publications-and-standards/standards/ecma-404/';

builder.addScalarType('DateTime', DateTime, {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description:
    'Timestamp in RFC 3339 format with a time zone, such as `2026-03-01T09:30:00.000Z`. In ranges, a date such as `2026-03-01` means the start of that day in UTC.',
});
builder.addScalarType('Duration', Duration, {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#appendix-A',
  description:
    'Length of time in ISO 8601 format, such as `P7D` (7 days) or `PT12H` (12 hours). A month counts as 30 days and a year as 365.',
});
builder.addScalarType('JSON', JSONResolver, {
  specifiedByURL: JSON_STANDARD,
  description:
    'Any JSON value: object, array, string, number, boolean or null. Numbers that a double cannot represent exactly are returned as strings of digits.',
});
builder.addScalarType('JSONObject', JSONObjectResolver, {
  specifiedByURL: JSON_STANDARD,
  description: 'JSON object with any keys, such as `{ "region": "eu" }`.',
});
