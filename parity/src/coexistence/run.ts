import type { Part } from '../part.js';
import { fillDatabase } from '../world/filled-database.js';
import { startSink } from '../world/integrations.js';
import { runRounds } from './run-rounds.js';

/**
 * The gateway next to a busy upstream on the same database: each sees the other's changes, and neither breaks the
 * other.
 */
export const runCoexistence: Part = async (context) => {
  const { databases, version, progress } = context;
  const sink = await startSink();
  try {
    const onProgress = (message: string) => progress.log(`${version}: ${message}`);
    const filled = await fillDatabase(databases, version, { sink, onProgress });
    return await runRounds(context, filled, sink);
  } finally {
    await sink.close();
  }
};
