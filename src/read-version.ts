import { readFileSync } from 'node:fs';
import { packageFile } from './package-files.js';

export const readVersion = (): string =>
  JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version;
