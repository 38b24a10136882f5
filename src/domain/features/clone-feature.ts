import { databaseFailure } from '../../data/database-failure.js';
import type { Feature, PrismaClient } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { InvalidOperationError, NameExistsError, NotFoundError } from '../errors.js';
import { assertText } from '../text.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { assertCloneable, assertRoomInTurn, isContested } from './clone-guards.js';
import type { CloneLimits } from './clone-limits.js';
import { cloneRefusal } from './clone-refusal.js';
import { findFeature } from './list-features.js';
import { writeClone } from './write-clone.js';

const TRANSACTION = { maxWait: 5_000, timeout: 15_000 };

const findTargetProject = async (db: PrismaClient, input: CloneFeatureInput): Promise<string> => {
  if (input.targetProject !== undefined) return input.targetProject;
  const source = await findFeature(db, input.source);
  if (!source || source.projectId === null) throw NotFoundError.of('Feature', input.source);
  return source.projectId;
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
  assertText('The name of the feature to copy', input.source);
  assertText('The target project', input.targetProject ?? '');
  const targetProject = await findTargetProject(db, input);
  actor.require('CREATE_FEATURE', { project: targetProject });

  try {
    const plan = await assertCloneable(db, { ...input, targetProject }, limits);
    if (!isContested(plan, limits)) return await writeClone(db, actor, plan);
    return await db.$transaction(async (tx) => {
      await assertRoomInTurn(tx, plan, limits);
      return writeClone(tx, actor, plan);
    }, TRANSACTION);
  } catch (error) {
    const failure = databaseFailure(error);
    if (failure === 'unique-violation') throw NameExistsError.taken(input.name);
    if (failure === 'foreign-key-violation') {
      throw new InvalidOperationError(
        `Something that feature '${input.source}' refers to was removed while it was being copied. Try again.`,
      );
    }
    if (failure === 'privilege') throw (await cloneRefusal(db)) ?? error;
    throw error;
  }
};
