import { readOptions } from './options.js';

// Prints the help text without loading the packages that a run needs.
readOptions();
