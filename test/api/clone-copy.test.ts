import { expect, test } from 'vitest';
import { cloneOverRest } from '../testkit/clone-calls.js';
import { changesOf } from '../testkit/clone-tables.js';
import { addFullSource, describeCloneOnBothDatabases } from '../testkit/clone-world.js';

describeCloneOnBothDatabases('a clone', ({ gateway, db }) => {
  test('probe', async () => {
    await addFullSource(db(), 'src');
    const t = performance.now();
    const changes = await changesOf(db(), async () => {
      const r = await cloneOverRest(gateway(), { source: 'src', name: 'copy' });
      console.log(r.status, r.text);
    });
    console.log(performance.now() - t, JSON.stringify(changes, null, 1));
  });
});
