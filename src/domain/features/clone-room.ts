import { type Db, Prisma } from '../../data/db.js';
import { readLists } from '../../data/read-rows.js';
import { InstanceFullError, ProjectFullError } from '../errors.js';
import { passAll } from '../guards.js';
import type { CloneLimits } from './clone-limits.js';
import { type CloneFacts, countActive } from './clone-source.js';

type Active = CloneFacts['active'];

/** A place for one more feature. */
export type CloneRoom = {
  targetProject: string;
  /** How many features the target project may have; null for any number. */
  featureLimit: number | null;
  active: Active;
};

const assertRoomInProject = ({ active, targetProject, featureLimit }: CloneRoom) => {
  if (featureLimit !== null && active.inTarget > 0 && active.inTarget >= featureLimit) {
    throw new ProjectFullError(
      `Project '${targetProject}' already holds the ${featureLimit} features it may have. Archive one or raise its limit.`,
      featureLimit,
      targetProject,
    );
  }
};

const assertRoomInInstance = ({ active }: CloneRoom, limit: number) => {
  if (active.everywhere >= limit) {
    throw new InstanceFullError(`The installation holds the ${limit} features it may have.`, limit);
  }
};

/** Whether the project, and then the installation, hold fewer features than they may. */
export function* roomGuards(room: CloneRoom, limits: CloneLimits): Generator<() => void> {
  yield () => assertRoomInProject(room);
  yield () => assertRoomInInstance(room, limits.features);
}

/** Far from the limit nobody has to wait for anybody. */
const CLOSE_TO_LIMIT = 100;

/** Whether somebody else's clone may take the last place between the judgement and the writing. */
export const isContested = ({ active, featureLimit }: CloneRoom, limits: CloneLimits): boolean =>
  featureLimit !== null || active.everywhere >= limits.features - CLOSE_TO_LIMIT;

/** Clones that compete for the last places queue up, so that two at once cannot both take the very last. */
export const assertRoomInTurn = async (
  tx: Db,
  room: CloneRoom,
  limits: CloneLimits,
): Promise<void> => {
  for (const place of [`project ${room.targetProject}`, 'installation']) {
    await tx.$queryRaw(
      Prisma.sql`select pg_advisory_xact_lock(hashtext('flaggraph.clone'), hashtext(${place}))::text`,
    );
  }
  const { active } = await readLists<{ active: Active[] }>(tx, {
    active: countActive(room.targetProject),
  });
  if (active[0]) await passAll(roomGuards({ ...room, active: active[0] }, limits));
};
