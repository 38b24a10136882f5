import { CloseCode, MessageType } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { CancelledError } from '../../domain/work.js';
import type { JsonShape } from '../json-shape.js';
import { readMessage } from './read-message.js';
import { SocketClose, STOPPING, TOO_SLOW } from './socket-close.js';
import { createSocketInbox, type Received } from './socket-inbox.js';
import { createSocketSender, type SenderOptions } from './socket-sender.js';

/** How long a client has to send connection_init. */
const INIT_TIMEOUT_MS = 5_000;
/** Messages, pings and pongs before the client is authenticated. */
const MAX_EARLY_MESSAGES = 5;
/** Operations of a connection that have not ended. */
export const MAX_OPERATIONS = 100;
/** Larger messages are parsed by turns. */
const LARGE_BYTES = 4_096;
/** A ping is echoed with its payload. */
const MAX_PING_CHARACTERS = 1_000;
/** Why the work of an operation ends before its result. */
const ENDED = new CancelledError();

/** One operation, until it has ended. */
export type SocketOperation = {
  id: string;
  payload: Record<string, unknown>;
  /** Length of the message. */
  length: number;
  /** Ends the operation: the client has completed it, or the connection is closed. */
  ending: AbortController;
  /** Sends a result, as JSON. Resolves when the client has taken it. */
  next(json: string | Buffer): Promise<void>;
  /** Rejects the operation with a list of errors, as JSON. */
  error(json: string): Promise<void>;
  /** Closes the connection. */
  close(reason: SocketClose): void;
};

export type SessionOptions = {
  shape: JsonShape;
  /** Aborted when the connection is closed. */
  signal: AbortSignal;
  /** Authenticates the client. Rejects with a SocketClose. */
  connect: (payload: Record<string, unknown>) => Promise<void>;
  /** Runs an operation. Never rejects. */
  operate: (operation: SocketOperation) => Promise<void>;
  /** The errors, as JSON, of an operation beyond the limit of the connection. */
  tooMany: () => string;
  /** Milliseconds until an authenticated client may send another message. */
  waitMs: () => number;
  /** Handles a large message of an authenticated client when it is its turn. */
  inTurn: (bytes: number, handle: () => void) => Promise<void>;
  onStall: NonNullable<SenderOptions['onStall']>;
  onClose: (reason: SocketClose) => void;
  initTimeoutMs?: number | undefined;
  stallTimeoutMs?: number | undefined;
};

export type SocketSession = {
  receive(received: Received): void;
  close(reason: SocketClose): void;
  /** Closes the connection once its operations have ended, and starts no others. */
  drain(): void;
  operations(): number;
};

/** The parts of a message. Its payload is JSON already. */
const messageOf = (id: string, type: MessageType, json: string | Buffer): (string | Buffer)[] => [
  `{"id":${JSON.stringify(id)},"type":"${type}","payload":`,
  json,
  '}',
];

/** Speaks graphql-transport-ws with one client. */
export const createSocketSession = (socket: WebSocket, options: SessionOptions): SocketSession => {
  const { shape, signal, connect, operate, tooMany, waitMs, inTurn, onClose } = options;
  const operations = new Map<string, AbortController>();
  let state: 'new' | 'connecting' | 'acknowledged' = 'new';
  let earlyMessages = 0;
  let isDraining = false;
  let isPonging = false;

  const endOperations = (): void => {
    for (const ending of operations.values()) ending.abort(ENDED);
  };
  const close = (reason: SocketClose): void => {
    if (socket.readyState !== socket.OPEN) return;
    onClose(reason);
    endOperations();
    socket.close(reason.code, reason.message);
  };
  const sender = createSocketSender(socket, {
    onStall: options.onStall,
    onTooSlow: () => close(TOO_SLOW),
    ...(options.stallTimeoutMs !== undefined && { stallTimeoutMs: options.stallTimeoutMs }),
  });
  const closeIfDrained = (): void => {
    if (isDraining && operations.size === 0) close(STOPPING);
  };

  const initTimer = setTimeout(
    () =>
      close(
        new SocketClose(CloseCode.ConnectionInitialisationTimeout, 'Send connection_init first.'),
      ),
    options.initTimeoutMs ?? INIT_TIMEOUT_MS,
  );
  signal.addEventListener('abort', () => {
    clearTimeout(initTimer);
    endOperations();
  });

  const initialise = async (payload: Record<string, unknown>): Promise<void> => {
    if (state !== 'new') {
      throw new SocketClose(
        CloseCode.TooManyInitialisationRequests,
        'connection_init was sent twice.',
      );
    }
    state = 'connecting';
    clearTimeout(initTimer);
    await connect(payload);
    state = 'acknowledged';
    await sender.send(JSON.stringify({ type: MessageType.ConnectionAck }));
    closeIfDrained();
  };

  const run = async (
    id: string,
    payload: Record<string, unknown>,
    length: number,
  ): Promise<void> => {
    const ending = new AbortController();
    const isOpen = () => operations.get(id) === ending;
    const send = async (type: MessageType, json: string | Buffer) => {
      if (isOpen()) await sender.send(...messageOf(id, type, json));
    };
    operations.set(id, ending);
    let isRejected = false;
    await operate({
      id,
      payload,
      length,
      ending,
      close,
      next: (json) => send(MessageType.Next, json),
      error: (json) => {
        isRejected = true;
        return send(MessageType.Error, json);
      },
    });
    const isEnded = isOpen();
    if (isEnded) operations.delete(id);
    // Without `complete`, a client knows that it can resume after the connection is closed.
    const isResumable = isDraining;
    if (isEnded && !isRejected && !isResumable) {
      await sender.send(JSON.stringify({ id, type: MessageType.Complete }));
    }
    closeIfDrained();
  };

  const subscribe = (id: string, payload: Record<string, unknown>, length: number): void => {
    if (state !== 'acknowledged') {
      throw new SocketClose(CloseCode.Unauthorized, 'Wait for connection_ack before subscribe.');
    }
    if (operations.has(id)) {
      throw new SocketClose(
        CloseCode.SubscriberAlreadyExists,
        `Subscriber for ${id} already exists`,
      );
    }
    // The client sends it again after it has reconnected.
    if (isDraining) return;
    if (operations.size >= MAX_OPERATIONS) {
      void sender.send(...messageOf(id, MessageType.Error, tooMany()));
      return;
    }
    void run(id, payload, length);
  };

  /** Pings that arrive before the last pong is sent are not answered. */
  const pong = async (send: () => Promise<void>): Promise<void> => {
    if (isPonging) return;
    isPonging = true;
    await send();
    isPonging = false;
  };

  const handleText = (text: string): void => {
    const message = readMessage(text, shape);
    switch (message.type) {
      case MessageType.ConnectionInit:
        initialise(message.payload).catch(fail);
        return;
      case MessageType.Ping: {
        const payload = text.length <= MAX_PING_CHARACTERS ? message.payload : undefined;
        void pong(() =>
          sender.send(JSON.stringify({ type: MessageType.Pong, ...(payload && { payload }) })),
        );
        return;
      }
      case MessageType.Subscribe:
        subscribe(message.id, message.payload, text.length);
        return;
      case MessageType.Complete:
        operations.get(message.id)?.abort(ENDED);
        operations.delete(message.id);
        closeIfDrained();
        return;
      case MessageType.Pong:
    }
  };

  const fail = (error: unknown): void => {
    if (error instanceof SocketClose) close(error);
    else close(new SocketClose(CloseCode.InternalServerError, 'Internal server error'));
  };

  const handle = async ({ kind, data }: Received): Promise<void> => {
    if (kind === 'pong' || socket.readyState !== socket.OPEN) return;
    try {
      if (kind === 'ping') {
        await pong(() => new Promise((resolve) => socket.pong(data, false, () => resolve())));
        return;
      }
      const isLarge = data.length > LARGE_BYTES && state === 'acknowledged';
      if (isLarge) await inTurn(data.length, () => handleText(String(data)));
      else handleText(String(data));
    } catch (error) {
      fail(error);
    }
  };

  const receive = createSocketInbox(socket, {
    signal,
    waitMs: () => (state === 'acknowledged' ? waitMs() : 0),
    handle,
  });

  return {
    receive: (received) => {
      if (state !== 'acknowledged') {
        earlyMessages += 1;
        if (earlyMessages > MAX_EARLY_MESSAGES) {
          close(new SocketClose(CloseCode.BadRequest, 'Too many messages before connection_ack.'));
          return;
        }
      }
      receive(received);
    },
    close,
    drain: () => {
      isDraining = true;
      closeIfDrained();
    },
    operations: () => operations.size,
  };
};
