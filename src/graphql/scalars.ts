import { DateTimeResolver, JSONObjectResolver, JSONResolver } from 'graphql-scalars';
import { builder } from './builder.js';

builder.addScalarType('DateTime', DateTimeResolver, {
  description: 'A moment as an RFC 3339 date-time with a zone, such as `2026-03-01T09:30:00.000Z`.',
});
builder.addScalarType('JSON', JSONResolver, {
  description:
    'Any JSON value: an object, a list, a text, a number, a boolean or null. A number that a double cannot hold is the text of its digits.',
});
builder.addScalarType('JSONObject', JSONObjectResolver, {
  description: 'A JSON object with any keys.',
});
