import type { Prisma, PrismaClient } from '../../src/data/db.js';

/** Histories start on this day; timestamps are minutes after its midnight. */
export const at = (minute: number): Date => new Date(Date.UTC(2024, 4, 1, 0, minute));

export type HistoryLine = readonly [
  minute: number,
  type: string,
  facts?: Partial<Omit<Prisma.EventCreateManyInput, 'type'>>,
];

/** The payload with which Unleash records the creation and changes of a feature. */
export const metadata = (name: string, more: object = {}) => ({
  name,
  description: null,
  type: 'release',
  project: 'web',
  stale: false,
  createdAt: at(0).toISOString(),
  lastSeenAt: null,
  impressionData: false,
  archivedAt: null,
  archived: false,
  ...more,
});

/** The payload with which Unleash records a strategy. */
export const strategy = (id: string, more: object = {}) => ({
  id,
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  constraints: [],
  parameters: { groupId: 'checkout', rollout: '100', stickiness: 'default' },
  variants: [],
  sortOrder: 0,
  segments: [],
  ...more,
});

/** Events of a feature, which belong to project web by default. */
export const addEvents = async (
  client: PrismaClient,
  name: string,
  lines: readonly HistoryLine[],
): Promise<void> => {
  await client.event.createMany({
    data: lines.map(([minute, type, fields = {}]) => ({
      type,
      createdBy: 'ada@example.com',
      createdByUserId: 1,
      createdAt: at(minute),
      projectId: 'web',
      featureName: name,
      ip: '198.51.100.1',
      ...fields,
    })),
  });
};

/** A feature with environments, and its events, which belong to project web by default. */
export const addHistory = async (
  client: PrismaClient,
  name: string,
  lines: readonly HistoryLine[],
  enabled: Readonly<Record<string, boolean>> = { development: false, production: false },
): Promise<void> => {
  await client.feature.create({ data: { name, projectId: 'web', type: 'release' } });
  await client.featureEnvironment.createMany({
    data: Object.entries(enabled).map(([environmentName, isOn]) => ({
      environmentName,
      featureName: name,
      enabled: isOn,
    })),
  });
  await addEvents(client, name, lines);
};
