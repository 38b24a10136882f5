import { personOf } from './people.js';
import type { DemoTokens } from './tokens.js';

const ROLES = [
  ['viewer', 'viewer'],
  ['owner', 'project owner'],
  ['member', 'project member'],
] as const;

/** Callers of the demo world with different permissions, for pages that switch between them. */
export const demoRolesOf = (tokens: DemoTokens): { name: string; token: string }[] => [
  { name: 'Admin token', token: tokens.admin },
  ...ROLES.map(([key, role]) => ({ name: `${personOf(key).name}, ${role}`, token: tokens[key] })),
];
