import type { GraphQLError } from 'graphql';
import { CloseCode } from 'graphql-ws';
import { OverloadedError } from './domain/errors.js';
import {
  type ByteBudget,
  CancelledError,
  createWork,
  endWork,
  runAs,
  type Work,
} from './domain/work.js';
import { codeOf, statusOf } from './graphql/errors.js';
import type { LiveResults } from './graphql/run-subscription.js';
import type { SocketOperations, SocketOutcome } from './graphql/socket-operations.js';
import type { Call } from './http/call.js';
import { withDeadline } from './http/deadline.js';
import type { createRejectionPace } from './http/rejection-pace.js';
import { SocketClose } from './http/websocket/socket-close.js';
import type { SocketOperation } from './http/websocket/socket-session.js';
import type { Metrics } from './observability/metrics.js';
import type { SocketClient } from './socket-client.js';

type Options = {
  operations: SocketOperations;
  client: SocketClient;
  operation: SocketOperation;
  call: Call;
  budget: ByteBudget;
  isMeasured: boolean;
  requestTimeoutMs: number;
  paceRejection: ReturnType<typeof createRejectionPace>;
  metrics: Pick<Metrics, 'streamOpened' | 'streamClosed'>;
  /** Called when the outcome is known, or a subscription has started. */
  onOutcome: (work: Work) => void;
};

/** For the log. The status is the one the operation would have over HTTP. */
export type SocketOperationEnd = { work: Work; status: number };

const UNAUTHENTICATED = 'UNAUTHENTICATED';

/** Runs one operation of a WebSocket from its message to its last result. Never rejects. */
export const runSocketOperation = async ({
  operations,
  client,
  operation,
  call,
  budget,
  isMeasured,
  requestTimeoutMs,
  paceRejection,
  metrics,
  onOutcome,
}: Options): Promise<SocketOperationEnd> => {
  const { ending, payload, length } = operation;
  const { signal } = ending;
  const work = createWork(signal, { isMeasured, budget });

  const closeIfRevoked = (code: string | undefined): void => {
    if (code !== UNAUTHENTICATED) return;
    operation.close(
      new SocketClose(CloseCode.Unauthorized, 'The credentials are no longer valid.'),
    );
  };
  const reject = async (errors: readonly GraphQLError[]): Promise<number> => {
    const status = statusOf(errors) ?? 400;
    const code = codeOf(errors);
    if (code !== undefined) call.facts.errorCode = code;
    if (status === 429) await paceRejection(signal);
    await operation.error(JSON.stringify(errors));
    closeIfRevoked(code);
    return status;
  };
  /** Counts as bytes in flight until the client has taken it. */
  const sendHeld = async (body: Buffer): Promise<boolean> => {
    const owner = client.owner() ?? '';
    if (!budget.take(owner, body.length, body.length)) return false;
    try {
      await operation.next(body);
    } finally {
      budget.release(owner, body.length);
    }
    return true;
  };
  const follow = async (results: LiveResults): Promise<void> => {
    const end = () => void results.return?.();
    signal.addEventListener('abort', end, { once: true });
    metrics.streamOpened();
    try {
      while (!signal.aborted) {
        const { done, value } = await results.next();
        if (done || signal.aborted) return;
        await operation.next(value.json);
        if (value.errorCode !== undefined) call.facts.errorCode = value.errorCode;
        closeIfRevoked(value.errorCode);
      }
    } finally {
      metrics.streamClosed();
      end();
    }
  };
  const finish = async (outcome: SocketOutcome): Promise<number> => {
    // From here on the body counts, not the data it was built from.
    endWork(work);
    if (outcome.kind === 'rejected') return reject(outcome.errors);
    if (outcome.kind === 'live') {
      call.startStream(signal);
      await follow(outcome.results);
      return 200;
    }
    const { status, body, hasData, errorCode } = outcome.response;
    if (errorCode !== undefined) call.facts.errorCode = errorCode;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body ?? '');
    call.recordResponse(bytes.length);
    if (!hasData) {
      if (status === 429) await paceRejection(signal);
      await operation.error(JSON.stringify(JSON.parse(String(bytes)).errors));
      return status;
    }
    if (await sendHeld(bytes)) return status;
    throw new OverloadedError(
      'The gateway has reached its memory limit for responses, most of them not yet read by clients. Retry shortly.',
    );
  };

  try {
    const request = { payload, length, caller: client.caller, call, work };
    const running = runAs(work, () => operations.run(request));
    const outcome = await withDeadline(running, requestTimeoutMs, () =>
      ending.abort(new CancelledError()),
    );
    onOutcome(work);
    return { work, status: await finish(outcome) };
  } catch (error) {
    return { work, status: await reject(operations.toErrors(error)) };
  } finally {
    endWork(work);
  }
};
