import { type Db, Prisma } from '../db.js';

/** Maximum wait for clones of other processes. */
const LOCK_TIMEOUT = '3s';

/** Waits for clones of other processes that compete for the same locks; holds the locks until the transaction ends. */
export const takeAdvisoryLocks = async (tx: Db, names: readonly string[]): Promise<void> => {
  const locks = names.map(
    (name) =>
      Prisma.sql`pg_advisory_xact_lock(hashtext('flaggraph.clone'), hashtext(${name}))::text`,
  );
  // The select list is evaluated from left to right; the subselect saves the previous setting.
  await tx.$queryRaw(Prisma.sql`
    select set_config('lock_timeout', ${LOCK_TIMEOUT}, true), ${Prisma.join(locks)},
      set_config('lock_timeout', before.value, true)
    from (select current_setting('lock_timeout') as value offset 0) before`);
};
