import { randomUUID } from 'node:crypto';
import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Telemetry } from '../config/telemetry.js';
import { settledWithin } from '../data/timeouts.js';
import { setTracer } from '../domain/tracing.js';
import { createMetricProducer } from './metric-producer.js';
import { createOtelTracer } from './otel-tracer.js';
import type { RunningTelemetry, TelemetryOptions } from './start-telemetry.js';

/** Spans waiting for export. Further ones are dropped. */
const MAX_QUEUED_SPANS = 2_048;
const SPANS_PER_EXPORT = 512;
/** A span has at most 8 attributes; the text of a statement is the longest. */
const MAX_ATTRIBUTE_LENGTH = 2_100;
/** Collecting and sending all metrics, at most. */
const METRICS_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 1_000;
const REPORT_EVERY_MS = 60_000;

/** Reports failed exports once a minute. Only the kind of failure: messages can contain addresses and credentials. */
const createDiagLogger = (logger: TelemetryOptions['logger']): DiagLogger => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    const [reason] = /\bE[A-Z]{4,}\b|timed? ?out/i.exec(message) ?? [];
    logger.warn({ ...(reason && { reason }) }, 'Failed to export telemetry to the OTLP endpoint.');
  };
  const ignore = () => undefined;
  return { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
};

const resourceOf = (version: string) =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'flaggraph',
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    )
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
    .merge(detectResources({ detectors: [envDetector] }));

const EXPORTERS = {
  'http/json': { Traces: JsonTraceExporter, Metrics: JsonMetricExporter },
  'http/protobuf': { Traces: ProtobufTraceExporter, Metrics: ProtobufMetricExporter },
};

/** Loaded only if telemetry is on, because the packages take a while to load. */
export const startExport = (
  { protocol, tracesUrl, metricsUrl, metricsIntervalMs }: Telemetry,
  { version, logger }: TelemetryOptions,
): RunningTelemetry => {
  const { Traces, Metrics: MetricExporter } = EXPORTERS[protocol];
  const resource = resourceOf(version);
  diag.setLogger(createDiagLogger(logger), DiagLogLevel.WARN);
  const running: { shutdown(): Promise<void> }[] = [];

  if (tracesUrl !== null) {
    const provider = new BasicTracerProvider({
      resource,
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
      spanProcessors: [
        new BatchSpanProcessor(new Traces({ url: tracesUrl }), {
          maxQueueSize: MAX_QUEUED_SPANS,
          maxExportBatchSize: SPANS_PER_EXPORT,
        }),
      ],
    });
    setTracer(createOtelTracer(provider.getTracer('flaggraph', version)));
    running.push(provider);
  }

  return {
    exportMetrics: (read) => {
      if (metricsUrl === null) return;
      const reader = new PeriodicExportingMetricReader({
        exporter: new MetricExporter({ url: metricsUrl }),
        exportIntervalMillis: metricsIntervalMs,
        exportTimeoutMillis: Math.min(metricsIntervalMs, METRICS_LIMIT_MS),
        metricProducers: [createMetricProducer(read)],
      });
      running.push(new MeterProvider({ resource, readers: [reader] }));
    },
    stop: async () => {
      setTracer(undefined);
      const stopped = running.map((provider) => provider.shutdown().catch(() => undefined));
      await settledWithin(STOP_LIMIT_MS, Promise.all(stopped));
    },
  };
};
