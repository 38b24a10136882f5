import { UNLEASH_VERSIONS } from '../../src/data/doctor/unleash-version.js';
import { convertToUnleash, runSql } from './attach.js';

/** Tables with secrets that no operation needs. */
const RESET_TOKENS = 'CREATE TABLE reset_tokens (reset_token text PRIMARY KEY, user_id int)';

/** How 8.x stores tokens. */
const VERIFIED_TOKENS = [
  `CREATE TABLE api_tokens_v2 (selector text PRIMARY KEY, verifier text NOT NULL,
    token_name text NOT NULL, type text NOT NULL, environment text NOT NULL,
    expires_at timestamptz, created_at timestamptz NOT NULL DEFAULT now(), seen_at timestamptz,
    user_created boolean NOT NULL DEFAULT true)`,
  'ALTER TABLE personal_access_tokens ALTER COLUMN secret DROP NOT NULL',
  'ALTER TABLE personal_access_tokens ADD COLUMN selector text UNIQUE, ADD COLUMN verifier text',
];

const CHANGES = {
  '6.6': { version: UNLEASH_VERSIONS[0], statements: [RESET_TOKENS] },
  '8.2': { version: UNLEASH_VERSIONS[3], statements: [RESET_TOKENS, ...VERIFIED_TOKENS] },
} as const;

export type UnleashVersion = keyof typeof CHANGES;

/** Turns tables of the gateway into those of an Unleash version. */
export const convertToUnleashVersion = async (
  url: string,
  version: UnleashVersion,
): Promise<void> => {
  const { version: known, statements } = CHANGES[version];
  await convertToUnleash(url, [known.lastMigration]);
  await runSql(url, ...statements);
};
