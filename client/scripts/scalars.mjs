/** The TypeScript type of each scalar, as JSON carries it. */
export const SCALARS = {
  Date: 'string',
  DateTime: 'string',
  Duration: 'string',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
  _Any: 'unknown',
};
