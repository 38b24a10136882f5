import type { Actor } from '../actor.js';
import { NoAccessError } from '../errors.js';

/** Who may see integrations and their deliveries. */
export const seesIntegrations = (actor: Actor): boolean => actor.can('ADMIN');

/** The error says what other callers need. */
export const requireAdmin = (actor: Actor): void => {
  if (seesIntegrations(actor)) return;
  throw new NoAccessError(
    'You need ADMIN to see integrations and their deliveries: use an admin token.',
    ['ADMIN'],
  );
};
