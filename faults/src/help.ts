import { readOptions } from './options.js';

// Prints the options without building the gateway.
readOptions();
