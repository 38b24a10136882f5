import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Migration = { name: string; sql: string; checksum: string };

// The same two steps up from src/data and from dist/data.
const FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The migrations of the gateway in the order in which they apply. */
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
