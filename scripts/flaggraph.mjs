#!/usr/bin/env node
// The command line from a clone: builds what is missing or stale, then runs it.
import { buildIfStale } from './build.mjs';

buildIfStale();
await import('../dist/main.js');
