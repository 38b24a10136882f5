/** Tokens of the filled databases. The benchmark's generator creates the users. */
export const TOKENS = {
  admin: '*:*.faults-admin',
  honest: 'user:faults-honest',
  attacker: 'user:faults-attacker',
  follower: 'user:faults-follower',
  revoked: 'user:faults-revoked',
  cloner: 'user:faults-cloner',
  otherCloner: 'user:faults-other-cloner',
} as const;

// Of three consecutive users, one is an editor, one a viewer and one an administrator.
const [VIEWER, ADMINISTRATOR] = [2, 3];

const OWNERS = {
  honest: VIEWER,
  attacker: VIEWER + 3,
  follower: VIEWER + 6,
  revoked: VIEWER + 9,
  cloner: ADMINISTRATOR,
  otherCloner: ADMINISTRATOR + 3,
};

export const insertTokens = (): string =>
  `insert into personal_access_tokens (secret, description, user_id, expires_at) values ${Object.entries(
    OWNERS,
  )
    .map(
      ([key, owner]) =>
        `('${TOKENS[key as keyof typeof OWNERS]}', '${key}', ${owner}, timestamptz '2099-01-01')`,
    )
    .join(', ')}`;
