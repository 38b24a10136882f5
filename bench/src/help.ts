import { readOptions } from './options.js';

// Prints the help text without the packages that a run needs.
readOptions();
