import { z } from 'zod';
import { integerSetting } from './integer-setting.js';
import { webAddress } from './web-address.js';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const exporter = z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp');

/**
 * The standard variables of OpenTelemetry that decide what is exported. The SDK reads the sampler and all others, such as
 * headers and timeouts, itself.
 */
export const TELEMETRY_SETTINGS = {
  OTEL_SDK_DISABLED: z
    .string()
    .regex(/^(true|false)$/i, 'must be true or false')
    .default('false'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'], 'must be http/protobuf or http/json')
    .default('http/protobuf'),
  OTEL_TRACES_EXPORTER: exporter,
  OTEL_METRICS_EXPORTER: exporter,
  OTEL_METRIC_EXPORT_INTERVAL: integerSetting(100, 3_600_000).default(60_000),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`).optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((value) => Number(value) >= 0 && Number(value) <= 1, 'must be a number from 0 to 1')
    .optional(),
};

export type Telemetry = Readonly<{
  protocol: 'http/protobuf' | 'http/json';
  /** Where spans are sent. Null: traces are off. */
  tracesUrl: string | null;
  /** Where metrics are sent. Null: they are not. */
  metricsUrl: string | null;
  metricsIntervalMs: number;
}>;

const Settings = z.object(TELEMETRY_SETTINGS);

/** Undefined if nothing is exported. */
export const toTelemetry = (settings: z.infer<typeof Settings>): Telemetry | undefined => {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || /^true$/i.test(settings.OTEL_SDK_DISABLED)) return undefined;
  const urlOf = (signal: string) => `${endpoint.replace(/\/$/, '')}/v1/${signal}`;
  const tracesUrl = settings.OTEL_TRACES_EXPORTER === 'otlp' ? urlOf('traces') : null;
  const metricsUrl = settings.OTEL_METRICS_EXPORTER === 'otlp' ? urlOf('metrics') : null;
  if (tracesUrl === null && metricsUrl === null) return undefined;
  return {
    protocol: settings.OTEL_EXPORTER_OTLP_PROTOCOL,
    tracesUrl,
    metricsUrl,
    metricsIntervalMs: settings.OTEL_METRIC_EXPORT_INTERVAL,
  };
};
