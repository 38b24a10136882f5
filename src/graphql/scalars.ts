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
  specifiedByURL: 'https://www.iso.org/iso-8601-date-and-time-format.html',
  description:
    'ISO 8601 duration in whole numbers: `P7D` is seven days, `PT12H` twelve hours, `P1M` one calendar month.',
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
