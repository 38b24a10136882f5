import { readOptions } from './options.js';

// Prints what can be asked for, without the packages that a run needs.
readOptions();
