import type { Actor } from '../actor.js';
import { NoAccessError } from '../errors.js';

/** Integrations and all about them are for administrators; anybody else is told what helps. */
export const requireAdmin = (actor: Actor): void => {
  if (actor.can('ADMIN')) return;
  throw new NoAccessError(
    'You need ADMIN to see integrations and their deliveries: use an admin token.',
    ['ADMIN'],
  );
};
