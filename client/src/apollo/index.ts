export { addIds } from '../add-ids.js';
export { possibleTypes } from '../generated/possible-types.js';
export { connectionPolicy } from './connection-policy.js';
export { createCache } from './create-cache.js';
export { typePolicies } from './type-policies.js';
