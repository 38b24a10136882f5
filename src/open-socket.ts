import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { ExceedsLimitError } from './domain/errors.js';
import { yieldToEventLoop } from './domain/work.js';
import { BODY_SHAPE } from './graphql/handler.js';
import { requestsCost } from './graphql/use-cost.js';
import { markKnown } from './http/connection-owners.js';
import { forwardedOf } from './http/forwarded.js';
import { createRejectionPace } from './http/rejection-pace.js';
import { readPath } from './http/request-path.js';
import { startHeartbeat } from './http/websocket/heartbeat.js';
import { receiveFrames } from './http/websocket/receive-frames.js';
import { SocketClose, TRY_AGAIN_LATER } from './http/websocket/socket-close.js';
import type { createSocketRegistry } from './http/websocket/socket-registry.js';
import {
  createSocketSession,
  MAX_OPERATIONS,
  type SocketOperation,
  type SocketSession,
} from './http/websocket/socket-session.js';

import { requestIdOf } from './observability/request-id.js';
import { createSlowOperationLog } from './observability/slow-operations.js';
import { closeReasonOf } from './observability/socket-close-reasons.js';
import { beginRequestTrace } from './request-trace.js';
import { runSocketOperation } from './run-socket-operation.js';
import { createSocketClient } from './socket-client.js';
import type { SocketHandlerOptions } from './socket-handler.js';

type Opened = {
  request: IncomingMessage;
  connection: Socket;
  socket: WebSocket;
  onKnown: (owner: string) => void;
  /** Aborted when the connection is closed. */
  signal: AbortSignal;
};

/** Operations of a WebSocket are not HTTP requests. */
const METHOD = 'WEBSOCKET';

/** Starts what a connection has after its handshake: a client, limits, metrics and log lines. */
export const createSessionOpener = (
  options: SocketHandlerOptions,
  registry: ReturnType<typeof createSocketRegistry>,
): ((opened: Opened) => SocketSession) => {
  const { config, logger, metrics, budget, operations } = options;
  const paceRejection = createRejectionPace();
  const logIfSlow = createSlowOperationLog({
    limitMs: config.slowOperationMs,
    logger,
    onSlow: metrics.slowOperation,
  });
  const tooMany = () =>
    JSON.stringify(
      operations.toErrors(
        new ExceedsLimitError(
          `A WebSocket can have at most ${MAX_OPERATIONS} operations at the same time. Retry when another one has ended.`,
          MAX_OPERATIONS,
        ),
      ),
    );

  return ({ request, connection, socket, onKnown, signal }) => {
    const startedAt = performance.now();
    const forwarded = forwardedOf(request, config.trustedProxies);
    const { loggedPath } = readPath(request.url, config.basePath);
    const socketId = requestIdOf(request.headers['x-request-id']);
    const isMeasured = requestsCost(request.headers['x-graphql-cost']);
    let closedWith: SocketClose | null = null;
    const client = createSocketClient({
      ...options,
      request,
      forwarded,
      signal,
      createCall: (onIdentified) =>
        options.createCall(forwarded.ip, {
          onIdentified: (owner) => {
            markKnown(connection, owner);
            onIdentified(owner);
          },
        }),
    });

    const operate = async (operation: SocketOperation): Promise<void> => {
      const beganAt = performance.now();
      const call = client.createCall();
      const trace = beginRequestTrace({ method: METHOD, headers: request.headers }, '/graphql');
      const requestId = requestIdOf(undefined);
      const ids = { requestId, socketId, ...(trace.traceId && { traceId: trace.traceId }) };
      const { work, status } = await trace.run(() =>
        runSocketOperation({
          ...options,
          client,
          operation,
          call,
          isMeasured,
          requestTimeoutMs: config.requestTimeoutMs,
          paceRejection,
          onOutcome: ({ usage }) =>
            logIfSlow(performance.now() - beganAt, () => ({
              ...ids,
              method: METHOD,
              path: loggedPath,
              ...call.facts,
              statements: usage.statements,
              databaseMs: Math.round(usage.databaseMs),
              waitedMs: Math.round(usage.waitedMs),
            })),
        }),
      );
      const isAborted = operation.ending.signal.aborted;
      logger.info({
        ...ids,
        method: METHOD,
        path: loggedPath,
        ...(isAborted ? { aborted: true } : { status }),
        ms: Math.round(performance.now() - beganAt),
        ip: forwarded.ip,
        ...call.facts,
        ...(work.usage.statements > 0 && { statements: work.usage.statements }),
      });
      trace.end({ status: isAborted ? null : status, requestId });
    };

    const session = createSocketSession(socket, {
      shape: BODY_SHAPE,
      signal,
      connect: async (payload) => {
        await client.connect(payload);
        const owner = client.owner() ?? '';
        registry.enter(owner, signal);
        onKnown(owner);
      },
      operate,
      tooMany,
      waitMs: () => registry.takeMessage(client.owner() ?? ''),
      inTurn: async (bytes, handle) => {
        const call = client.createCall();
        call.recordBody(bytes);
        await call.takeTurn(signal);
        await yieldToEventLoop();
        call.timed(handle);
      },
      onStall: metrics.streamStalled,
      onClose: (reason) => {
        closedWith ??= reason;
      },
    });
    const heartbeat = startHeartbeat(socket, {
      signal,
      onBeat: () => {
        // Subscriptions verify the credentials themselves.
        if (client.owner() === null || session.operations() > 0) return;
        client.verify().catch((error: SocketClose) => {
          if (error.code !== TRY_AGAIN_LATER) session.close(error);
        });
      },
    });
    receiveFrames(connection, socket, {
      budget,
      ownerOf: client.owner,
      receive: session.receive,
      onSeen: heartbeat.seen,
      onExcess: () =>
        session.close(
          new SocketClose(TRY_AGAIN_LATER, 'Too many bytes are in flight. Retry shortly.'),
        ),
    });

    metrics.socketOpened();
    socket.once('close', (code: number) => {
      const reason = closedWith?.code ?? code;
      metrics.socketClosed(closeReasonOf(reason, closedWith !== null));
      logger.info({
        requestId: socketId,
        method: request.method,
        path: loggedPath,
        status: 101,
        closeCode: reason,
        ...(closedWith && { closeReason: closedWith.message }),
        ms: Math.round(performance.now() - startedAt),
        ip: forwarded.ip,
        ...client.facts,
      });
    });
    return session;
  };
};
