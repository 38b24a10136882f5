import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each(['bench', 'faults', 'parity'])(
  '%s prints its options without installing anything',
  (name) => {
    // Without a PATH there is no npm to install with.
    const { status, stdout, stderr } = spawnSync(process.execPath, [`${name}/run.mjs`, '--help'], {
      cwd: root,
      env: { PATH: '' },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`npm run ${name} -- [options]`);
  },
);
