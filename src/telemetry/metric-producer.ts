import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObject } from '../observability/metrics.js';

type Value = MetricObject['values'][number];
type Labels = Value['labels'];
type Times = { startTime: HrTime; endTime: HrTime };

const toHrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

const withoutBound = ({ le: _, ...labels }: Labels): Labels => labels;

/** The values of a histogram by their labels. */
const seriesOf = (values: readonly Value[]): Value[][] => {
  const series = new Map<string, Value[]>();
  for (const value of values) {
    const key = JSON.stringify(withoutBound(value.labels));
    series.set(key, [...(series.get(key) ?? []), value]);
  }
  return [...series.values()];
};

const valueNamed = (values: readonly Value[], ending: string): number =>
  values.find(({ metricName }) => metricName?.endsWith(ending))?.value ?? 0;

/** Prometheus counts a value in every bucket above it, OpenTelemetry in one. */
const toHistogram = (values: readonly Value[], times: Times) => {
  const buckets = values.filter(({ metricName }) => metricName?.endsWith('_bucket'));
  return {
    ...times,
    attributes: withoutBound(values[0]?.labels ?? {}),
    value: {
      buckets: {
        boundaries: buckets.map(({ labels }) => Number(labels['le'])).filter(Number.isFinite),
        counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
      },
      sum: valueNamed(values, '_sum'),
      count: valueNamed(values, '_count'),
    },
  };
};

/** Exports the metrics of `/metrics` under the same names. */
export const createMetricProducer = (
  read: () => Promise<readonly MetricObject[]>,
): MetricProducer => {
  const startTime = toHrTime(performance.timeOrigin);

  const toMetricData = ({ name, help, type, values }: MetricObject, times: Times): MetricData => {
    const common = {
      descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    if (type === 'histogram') {
      const dataPoints = seriesOf(values).map((series) => toHistogram(series, times));
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    const dataPoints = values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
    return type === 'counter'
      ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
      : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
  };

  return {
    collect: async () => {
      const times = { startTime, endTime: toHrTime(Date.now()) };
      const metrics = (await read()).map((metric) => toMetricData(metric, times));
      return {
        // The reader adds its own resource.
        resourceMetrics: {
          resource: emptyResource(),
          scopeMetrics: [{ scope: { name: 'flaggraph' }, metrics }],
        },
        errors: [],
      };
    },
  };
};
