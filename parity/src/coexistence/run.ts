import type { Part } from '../part.js';
import { fillDatabase } from '../world/filled-database.js';
import { startSink } from '../world/integrations.js';
import { proveCoexistence } from './prove.js';

/** The gateway beside an original at work on the same database: each notices the other, and neither harms it. */
export const runCoexistence: Part = async (context) => {
  const { databases, version, progress } = context;
  const sink = await startSink();
  try {
    const tell = (message: string) => progress.tell(`${version}: ${message}`);
    const filled = await fillDatabase(databases, version, { sink, tell });
    return await proveCoexistence(context, filled, sink);
  } finally {
    await sink.close();
  }
};
