import type { Actor } from '../actor.js';
import { NoAccessError } from '../errors.js';

/** Integrations require ADMIN; the error says what other callers need. */
export const requireAdmin = (actor: Actor): void => {
  if (actor.can('ADMIN')) return;
  throw new NoAccessError(
    'You need ADMIN to see integrations and their deliveries: use an admin token.',
    ['ADMIN'],
  );
};
