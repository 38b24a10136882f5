import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'demo-secret';
const FORM = /^[\w-]{43}$/;

const readFile = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** Reads or creates the secret that demo tokens derive from; stored in the data folder, readable by its owner only. */
export const readDemoSecret = (dataDir: string): string => {
  const fresh = randomBytes(32).toString('base64url');
  if (dataDir === 'memory://') return fresh;

  const file = join(dataDir, FILE);
  const known = readFile(file);
  if (known !== null && FORM.test(known)) {
    chmodSync(file, 0o600);
    return known;
  }
  writeFileSync(file, `${fresh}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return fresh;
};
