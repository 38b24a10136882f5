import type { Db } from '../data/db.js';
import { CommandError } from './command-error.js';
import { type ListedToken, readTokens, type StoredToken, tokenTable } from './list-tokens.js';

/** The name or the start of the secret, as `token list` prints them. */
const isMatch = ({ listed: { name, secret } }: StoredToken, token: string): boolean =>
  name === token || secret === token || secret === `${token}…`;

/** Deletes the only token with a name or start of a secret, and returns it. */
export const revokeToken = async (db: Db, token: string): Promise<ListedToken> => {
  const found = (await readTokens(db)).filter((stored) => isMatch(stored, token));
  const [match, ...others] = found;
  if (!match) {
    throw new CommandError(
      `There is no token '${token}'. Pass a name or the start of a secret as 'flaggraph token list' prints it.`,
    );
  }
  if (others.length > 0) {
    const table = tokenTable(found.map(({ listed }) => listed)).map((line) => `  ${line}`);
    throw new CommandError(
      `'${token}' matches several tokens. Pass the start of the secret of one of them, in quotes:\n${table.join('\n')}`,
    );
  }
  const { key, listed } = match;
  if (!key) {
    throw new CommandError(
      'This Unleash version stores API tokens in a format that the gateway can only read. Delete the token in Unleash.',
    );
  }
  if ('apiSecret' in key) await db.apiToken.deleteMany({ where: { secret: key.apiSecret } });
  else await db.personalAccessToken.deleteMany({ where: { id: key.personalId } });
  return listed;
};
