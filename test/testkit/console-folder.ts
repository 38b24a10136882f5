import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const CONSOLE_QUERY = 'query OfTheConsole { viewer { kind } }';
export const CONSOLE_HASH = createHash('sha256').update(CONSOLE_QUERY).digest('hex');

/** What the build of the console writes, with a few small files. */
export const makeConsole = (): URL => {
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-console-'));
  mkdirSync(join(folder, 'assets'));
  const files = {
    'manifest.json': JSON.stringify({
      'src/main.tsx': {
        file: 'assets/main-1.js',
        css: ['assets/main-2.css'],
        imports: ['_shared.js'],
      },
      '_shared.js': { file: 'assets/shared-3.js' },
    }),
    'documents.json': JSON.stringify({ [CONSOLE_HASH]: CONSOLE_QUERY }),
    'assets/main-1.js': 'console.info(1);',
    'assets/main-2.css': 'p { color: red; }',
    'assets/shared-3.js': 'export const shared = 3;',
    'assets/unlisted.js': 'not in the manifest',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
};
