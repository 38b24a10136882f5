import { z } from 'zod';
import { integerSetting } from './integer-setting.js';

const MAX_BYTES = 2_000_000_000;

/** Limits on connections, responses and the share of each client. */
export const TRAFFIC_SETTINGS = {
  KEEP_ALIVE_TIMEOUT_MS: integerSetting(0, 3_600_000).default(65_000),
  SHUTDOWN_DELAY_MS: integerSetting(0, 600_000).default(0),
  MAX_CONNECTIONS: integerSetting(1, 1_000_000).optional(),
  MAX_ANSWER_BYTES: integerSetting(1_048_576, MAX_BYTES).default(33_554_432),
  MAX_BYTES_IN_FLIGHT: integerSetting(1_048_576, MAX_BYTES).default(67_108_864),
  RATE_LIMIT_POINTS: integerSetting(0, 2_000_000_000).default(2_000_000),
  RATE_LIMIT_WINDOW_MS: integerSetting(1_000, 3_600_000).default(20_000),
  MAX_CONCURRENT_OPERATIONS: integerSetting(1, 10_000).default(8),
  AUTH_FAILURES_PER_MINUTE: integerSetting(0, 1_000_000).default(120),
};

export type Traffic = Readonly<{
  /** How long an idle connection stays open. Must exceed the timeout of the proxy in front. Default 65000. */
  keepAliveTimeoutMs: number;
  /** How long the server keeps serving after SIGTERM while `/readyz` returns 503. Default 0. */
  shutdownDelayMs: number;
  /** Connections beyond this are closed at once. Default unset: no limit. */
  maxConnections: number | null;
  /** Bytes that one request may read from the database. Default 32 MiB. */
  maxAnswerBytes: number;
  /** Bytes that all requests together may hold. Default 64 MiB. */
  maxBytesInFlight: number;
  /** Cost points a caller may spend at once. 0: no rate limit. Default 2000000. */
  rateLimitPoints: number;
  /** Time in which all spent points are refilled. Default 20000. */
  rateLimitWindowMs: number;
  /** Concurrent operations per caller; further ones wait. Default 8. */
  maxConcurrentOperations: number;
  /** Rejected credentials per client address. 0: no limit. Default 120. */
  authFailuresPerMinute: number;
}>;

const Settings = z.object(TRAFFIC_SETTINGS);

export const toTraffic = (settings: z.infer<typeof Settings>): Traffic => ({
  keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT_MS,
  shutdownDelayMs: settings.SHUTDOWN_DELAY_MS,
  maxConnections: settings.MAX_CONNECTIONS ?? null,
  maxAnswerBytes: settings.MAX_ANSWER_BYTES,
  maxBytesInFlight: settings.MAX_BYTES_IN_FLIGHT,
  rateLimitPoints: settings.RATE_LIMIT_POINTS,
  rateLimitWindowMs: settings.RATE_LIMIT_WINDOW_MS,
  maxConcurrentOperations: settings.MAX_CONCURRENT_OPERATIONS,
  authFailuresPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
});
