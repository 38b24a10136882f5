import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../package-files.js';

export type Migration = { name: string; sql: string; checksum: string };

const FOLDER = fileURLToPath(packageFile('prisma/migrations'));

/** The gateway's migrations, in the order they apply. */
export const readMigrations = (folder: string = FOLDER): Migration[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name, 'migration.sql'));
      return {
        name,
        sql: bytes.toString('utf8'),
        checksum: createHash('sha256').update(bytes).digest('hex'),
      };
    });
