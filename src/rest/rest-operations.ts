import type { Actor } from '../domain/actor.js';
import type { FeatureRecord } from '../domain/features/feature-record.js';
import type { Operations } from '../domain/operations.js';
import type { EventRow, Feature, IntegrationEventRow } from '../domain/rows.js';

export type SearchedEvent = Omit<EventRow, 'ip'> & { label: string; summary: string };
export type IntegrationEventRecord = Omit<IntegrationEventRow, 'event' | 'details'> & {
  event: unknown;
  details: unknown;
};
export type ClonedFeature = FeatureRecord;

type Input<Name extends keyof Operations> = Operations[Name] extends (
  actor: Actor,
  input: infer Given,
) => unknown
  ? Given
  : never;

/** The domain operations that the four REST paths use. */
export type RestOperations = {
  /** Throws MaintenanceModeError while writes are disabled. */
  assertWritable(): Promise<void>;
  searchEvents(
    actor: Actor,
    input: Input<'searchEvents'>,
  ): Promise<{ events: readonly SearchedEvent[]; total: number }>;
  /** Keys in the order of the response. */
  getHealthReport(actor: Actor, projectId: string): Promise<object>;
  listIntegrationEvents(
    actor: Actor,
    input: Input<'listIntegrationEvents'>,
  ): Promise<readonly IntegrationEventRecord[]>;
  cloneFeature(actor: Actor, input: Input<'cloneFeature'>): Promise<Feature>;
  getFeatureRecord(actor: Actor, name: string): Promise<ClonedFeature>;
};
