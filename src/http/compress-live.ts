import { setImmediate } from 'node:timers/promises';
import { type Encoding, streamEncoders } from './send.js';
import type { LiveResponse } from './send-live.js';

type Stream = LiveResponse['stream'];

/** Compresses a stream. Every chunk can be decompressed when it arrives, even if the stream is interrupted after it. */
export const compressLive = (stream: Stream, encoding: Encoding): Stream => {
  const encoder = streamEncoders[encoding]();
  const parts: Buffer[] = [];
  let hasEnded = false;
  encoder.on('data', (part: Buffer) => parts.push(part));
  // A destroyed encoder may still fail.
  encoder.on('error', () => undefined);

  const flush = async (): Promise<Buffer> => {
    await new Promise<void>((resolve, reject) => {
      encoder.once('error', reject);
      const done = () => {
        encoder.off('error', reject);
        resolve();
      };
      if (hasEnded) encoder.once('end', done).end();
      else encoder.flush(done);
    });
    // The last data may be emitted after the callback.
    await setImmediate();
    return Buffer.concat(parts.splice(0));
  };

  return {
    read: async () => {
      if (hasEnded) return null;
      const chunk = await stream.read();
      hasEnded = chunk === null;
      if (chunk !== null) encoder.write(chunk);
      return flush();
    },
    cancel: () => {
      stream.cancel();
      encoder.destroy();
    },
  };
};
