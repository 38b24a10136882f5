import type { Config } from '../config/config.js';
import { isLoopback } from '../http/loopback.js';
import { readDemoSecret } from './demo-secret.js';
import {
  DEMO_TOKENS,
  type DemoTokenKey,
  type DemoTokens,
  isDemoToken,
  makeDemoTokens,
} from './tokens.js';

export type DemoAccess = {
  /** Reports tokens that are rejected even if the database contains them. */
  rejects: (token: string) => boolean;
  /** Maps a token sent by a client to the one stored in the database. */
  storedToken: (sent: string) => string;
  /** Tokens to print in the terminal; null if none are accepted. */
  tokens: DemoTokens | null;
  /** Only this machine can reach the gateway: pages may show the tokens, and `Host` must be a loopback name. */
  isLocal: boolean;
};

const asSent = (token: string): string => token;

/** Well-known tokens are accepted only on the embedded database of a gateway that listens on loopback. */
export const createDemoAccess = (
  {
    production,
    databaseUrl,
    host,
    dataDir,
  }: Pick<Config, 'production' | 'databaseUrl' | 'host' | 'dataDir'>,
  hasDemo: boolean,
): DemoAccess => {
  const isLocal = isLoopback(host);
  if (!hasDemo || production || databaseUrl !== undefined) {
    return { rejects: isDemoToken, storedToken: asSent, tokens: null, isLocal };
  }
  if (isLocal) {
    return { rejects: () => false, storedToken: asSent, tokens: DEMO_TOKENS, isLocal };
  }

  const tokens = makeDemoTokens(readDemoSecret(dataDir));
  const keys = Object.keys(DEMO_TOKENS) as DemoTokenKey[];
  const stored = new Map(keys.map((key): [string, string] => [tokens[key], DEMO_TOKENS[key]]));
  return {
    rejects: isDemoToken,
    storedToken: (sent) => stored.get(sent) ?? sent,
    tokens,
    isLocal,
  };
};
