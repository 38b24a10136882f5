export { possibleTypes } from './generated/possible-types.js';
