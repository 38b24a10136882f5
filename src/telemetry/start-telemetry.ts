import type { Telemetry } from '../config/telemetry.js';
import type { Logger } from '../observability/logger.js';
import type { Metrics } from '../observability/metrics.js';

export type RunningTelemetry = {
  /** From now on the metrics are exported at intervals. */
  exportMetrics(read: Metrics['read']): void;
  /** Exports what is left, within a second. */
  stop(): Promise<void>;
};

export type TelemetryOptions = { version: string; logger: Pick<Logger, 'warn'> };

const OFF: RunningTelemetry = { exportMetrics: () => undefined, stop: async () => undefined };

/** Exports traces and metrics over OTLP. Does nothing, and loads nothing, without settings. */
export const startTelemetry = async (
  settings: Telemetry | undefined,
  options: TelemetryOptions,
): Promise<RunningTelemetry> => {
  if (!settings) return OFF;
  const { startExport } = await import('./start-export.js');
  return startExport(settings, options);
};
