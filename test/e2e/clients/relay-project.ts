import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GraphQLTaggedNode } from 'relay-runtime';

const PROJECT = fileURLToPath(new URL('relay-project', import.meta.url));
const SCHEMA = fileURLToPath(new URL('../../../schema.graphql', import.meta.url));

/** Compiles the Relay project next to this file against schema.graphql with Relay's compiler. */
export const compileRelayProject = () => {
  const require = createRequire(import.meta.url);
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-relay-'));
  cpSync(PROJECT, folder, { recursive: true });
  cpSync(SCHEMA, join(folder, 'schema.graphql'));
  mkdirSync(join(folder, 'artifacts'));

  const compiler = require.resolve('relay-compiler/cli.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [compiler, join(folder, 'relay.config.json')],
    { cwd: folder, encoding: 'utf8' },
  );
  return {
    status,
    output: `${stdout}${stderr}`,
    /** The compiled artifact of a fragment or a query. */
    artifact: (name: string): GraphQLTaggedNode =>
      require(join(folder, 'artifacts', `${name}.graphql.js`)),
    remove: () => rmSync(folder, { recursive: true }),
  };
};
