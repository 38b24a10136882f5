import { startOriginal } from '../../../parity/src/original.js';
import { ORIGINAL_VERSION } from '../world/fill-world.js';
import { type Contender, POOL_SIZE } from './contender.js';

export const startTheOriginal = async (
  databaseUrl: string,
  tell: (message: string) => void,
  isQuiet = false,
): Promise<Contender> =>
  startOriginal(ORIGINAL_VERSION, databaseUrl, {
    tell,
    announces: !isQuiet,
    env: {
      DATABASE_POOL_MAX: String(POOL_SIZE),
      UNLEASH_FEATURE_FLAGS_LIMIT: '1000000',
    },
  });
