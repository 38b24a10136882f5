import { type Original, type OriginalOptions, startOriginal } from '../original.js';

export type KillableOriginal = Original & {
  /** Ends it without any chance to tidy up; resolves when it is gone. */
  kill(): Promise<void>;
};

const TELL_PID = `data:text/javascript,process.stderr.write('pid=' + process.pid + '%5Cn')`;

export const startKillableOriginal = async (
  version: string,
  databaseUrl: string,
  options: OriginalOptions = {},
): Promise<KillableOriginal> => {
  const original = await startOriginal(version, databaseUrl, {
    ...options,
    env: { ...options.env, NODE_OPTIONS: `--import="${TELL_PID}"` },
  });
  const pid = Number(/^pid=(\d+)$/m.exec(original.log())?.[1]);
  if (!Number.isSafeInteger(pid)) {
    await original.stop();
    throw new Error('the original did not tell the number of its process');
  }
  return {
    ...original,
    kill: async () => {
      process.kill(pid, 'SIGKILL');
      await original.stop();
    },
  };
};
