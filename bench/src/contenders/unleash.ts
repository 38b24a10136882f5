import { startUpstream } from '../../../parity/src/upstream.js';
import { UNLEASH_VERSION } from '../world/fill-world.js';
import { type Contender, POOL_SIZE } from './contender.js';

export const startUnleash = async (
  databaseUrl: string,
  onProgress: (message: string) => void,
  isQuiet = false,
): Promise<Contender> =>
  startUpstream(UNLEASH_VERSION, databaseUrl, {
    onProgress,
    announces: !isQuiet,
    env: {
      DATABASE_POOL_MAX: String(POOL_SIZE),
      UNLEASH_FEATURE_FLAGS_LIMIT: '1000000',
    },
  });
