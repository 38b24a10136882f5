import { databaseFailure } from '../../data/database-failure.js';
import type { Feature, PrismaClient } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { InvalidOperationError, NameExistsError, NotFoundError } from '../errors.js';
import { passAll } from '../guards.js';
import { settingsOf } from '../projects/project-settings.js';
import { draftClone } from './clone-draft.js';
import type { CloneFeatureInput, CloneOrder } from './clone-feature-input.js';
import { accessGuards, requireSource, stateGuards } from './clone-guards.js';
import type { CloneLimits } from './clone-limits.js';
import { cloneRefusal } from './clone-refusal.js';
import { assertRoomInTurn, isContested } from './clone-room.js';
import { readCloneFacts } from './clone-source.js';
import { findTargetProject } from './clone-target.js';
import { writeClone } from './write-clone.js';

const TRANSACTION = { maxWait: 5_000, timeout: 15_000 };

const judgeAndWrite = async (
  db: PrismaClient,
  actor: Actor,
  order: CloneOrder,
  limits: CloneLimits,
): Promise<Feature> => {
  const { source, name, targetProject, include = [] } = order;
  const surroundingsFor = include.length > 0 ? actor.userId : undefined;
  const facts = await readCloneFacts(db, { source, name, targetProject, surroundingsFor });
  await passAll(stateGuards(facts, order, limits));

  const draft = draftClone(requireSource(facts, source), facts, order);
  const { featureLimit } = settingsOf(facts.settings);
  const room = { targetProject, featureLimit, active: facts.active };
  if (!isContested(room, limits)) return writeClone(db, actor, draft);
  return db.$transaction(async (tx) => {
    await assertRoomInTurn(tx, room, limits);
    return writeClone(tx, actor, draft);
  }, TRANSACTION);
};

/**
 * Copies a feature with its strategies under a new name; the copy may land in any project and is off everywhere.
 * All guards are judged before the first row is written, and all rows are written by one statement or not at all.
 */
export const cloneFeature = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  limits: CloneLimits,
): Promise<Feature> => {
  const targetProject = await findTargetProject(db, input);
  if (targetProject === null) throw NotFoundError.of('Feature', input.source);
  const order = { ...input, targetProject };
  await passAll(accessGuards(actor, order));

  try {
    return await judgeAndWrite(db, actor, order, limits);
  } catch (error) {
    const failure = databaseFailure(error);
    if (failure === 'unique-violation') throw NameExistsError.taken(input.name);
    if (failure === 'foreign-key-violation') {
      throw new InvalidOperationError(
        `Something that feature '${input.source}' refers to was removed while it was being copied. Try again.`,
      );
    }
    if (failure === 'privilege') throw (await cloneRefusal(db, input.include)) ?? error;
    throw error;
  }
};
