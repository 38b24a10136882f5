/** Why a WebSocket was closed, for the metrics. */
export type SocketCloseReason =
  | 'client'
  | 'stopping'
  | 'overloaded'
  | 'unauthenticated'
  | 'init_timeout'
  | 'invalid_message'
  | 'other';

const REASONS: ReadonlyMap<number, SocketCloseReason> = new Map([
  [1001, 'stopping'],
  [1013, 'overloaded'],
  [4401, 'unauthenticated'],
  [4403, 'unauthenticated'],
  [4408, 'init_timeout'],
  [4400, 'invalid_message'],
  [4406, 'invalid_message'],
  [4409, 'invalid_message'],
  [4429, 'invalid_message'],
]);

export const SOCKET_CLOSE_REASONS: readonly SocketCloseReason[] = [
  ...new Set<SocketCloseReason>(['client', ...REASONS.values(), 'other']),
];

export const closeReasonOf = (code: number, isOurs: boolean): SocketCloseReason =>
  isOurs ? (REASONS.get(code) ?? 'other') : 'client';
