import type { WebSocket } from 'ws';

/** How long sent data may stay unread. */
const STALL_TIMEOUT_MS = 30_000;
/** Large messages are sent in fragments, so that a slow reader is seen to make progress. */
const FRAGMENT_BYTES = 65_536;

export type SenderOptions = {
  stallTimeoutMs?: number;
  /** Called when the client does not keep up. Returns what to call when it does again, or is disconnected. */
  onStall?: () => (isDisconnected: boolean) => void;
  /** Called if the client takes no data for `stallTimeoutMs`. */
  onTooSlow: () => void;
};

export type SocketSender = {
  /** Sends one message. Resolves when it is sent, or will never be. Messages are sent one after the other. */
  send(...parts: (string | Buffer)[]): Promise<void>;
};

const fragmentsOf = (message: readonly Buffer[]): Buffer[] => {
  const length = message.reduce((sum, part) => sum + part.length, 0);
  // Larger parts are not copied.
  if (length <= FRAGMENT_BYTES) return [Buffer.concat(message)];
  return message.flatMap((part) =>
    Array.from({ length: Math.ceil(part.length / FRAGMENT_BYTES) }, (_, index) =>
      part.subarray(index * FRAGMENT_BYTES, (index + 1) * FRAGMENT_BYTES),
    ),
  );
};

/** Sends messages with backpressure: callers wait until the client has taken what was sent before. */
export const createSocketSender = (
  socket: WebSocket,
  { stallTimeoutMs = STALL_TIMEOUT_MS, onStall, onTooSlow }: SenderOptions,
): SocketSender => {
  let last: Promise<void> = Promise.resolve();

  const sendFragment = (bytes: Buffer, fin: boolean): Promise<void> =>
    new Promise((resolve) => {
      if (socket.readyState !== socket.OPEN) {
        resolve();
        return;
      }
      let onResume: ((isDisconnected: boolean) => void) | undefined;
      let isTooSlow = false;
      const timer = setTimeout(() => {
        isTooSlow = true;
        onTooSlow();
      }, stallTimeoutMs);
      // Also called, with an error, when the connection is closed.
      socket.send(bytes, { binary: false, fin }, () => {
        clearTimeout(timer);
        onResume?.(isTooSlow);
        resolve();
      });
      if (socket.bufferedAmount > 0) onResume = onStall?.();
    });

  const sendAll = async (message: readonly Buffer[]): Promise<void> => {
    const fragments = fragmentsOf(message);
    for (const [index, bytes] of fragments.entries()) {
      await sendFragment(bytes, index === fragments.length - 1);
    }
  };

  return {
    send: (...parts) => {
      const message = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
      last = last.then(() => sendAll(message));
      return last;
    },
  };
};
