import type { AnnouncedEvent, Subscription } from '../../data/integrations/delivery-facts.sql.js';
import { asArray, asStrings } from '../json.js';

export const OBSTACLES = {
  DISABLED: 'The integration is disabled.',
  TYPE_NOT_SUBSCRIBED: 'It does not receive events of this type.',
  OTHER_PROJECT: 'It receives events of other projects only.',
  OTHER_ENVIRONMENT: 'It receives events of other environments only.',
  CONFIGURED_LATER: 'It was configured after the event was recorded.',
  NOT_ANNOUNCED: 'Unleash has not processed the event yet.',
} as const;

export type Obstacle = { code: keyof typeof OBSTACLES; message: string };

/** An integration can receive a hundred types. */
const MAX_NAMED = 10;

const quoted = (values: unknown): string => {
  const names = asStrings(values).map((value) => `'${value}'`);
  if (names.length === 0) return 'none';
  const others = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (others > 0 ? ` and ${others} others` : '');
};

/** An empty list, or one that starts with `*`, matches every event, and an event without a value matches every list. */
const isExcluded = (list: unknown, value: string | null): value is string => {
  const names = asArray(list);
  return value !== null && names.length > 0 && names[0] !== '*' && !names.includes(value);
};

/** Everything that prevents Unleash from sending an event to an integration as configured now. */
export const obstaclesTo = (
  integration: Subscription,
  event: AnnouncedEvent,
  /** Whether the caller may see a project. Default: any. */
  sees: (projectId: string) => boolean = () => true,
): Obstacle[] => {
  const { events, projects, environments, createdAt } = integration;
  const obstacles: Obstacle[] = [];
  const add = (code: Obstacle['code'], message: string = OBSTACLES[code]) =>
    obstacles.push({ code, message });

  if (integration.enabled === false) add('DISABLED');
  if (!asArray(events).includes(event.type)) {
    add(
      'TYPE_NOT_SUBSCRIBED',
      `It receives events of the types ${quoted(events)}; this one is '${event.type}'.`,
    );
  }
  if (isExcluded(projects, event.projectId)) {
    add(
      'OTHER_PROJECT',
      `It receives events of the projects ${quoted(asStrings(projects).filter(sees))}; this one belongs to '${event.projectId}'.`,
    );
  }
  if (isExcluded(environments, event.environment)) {
    add(
      'OTHER_ENVIRONMENT',
      `It receives events of the environments ${quoted(environments)}; this one belongs to '${event.environment}'.`,
    );
  }
  if (createdAt !== null && event.createdAt !== null && createdAt > event.createdAt) {
    add(
      'CONFIGURED_LATER',
      `It was configured at ${createdAt.toISOString()}, after the event was recorded at ${event.createdAt.toISOString()}.`,
    );
  }
  if (!event.announced) {
    add(
      'NOT_ANNOUNCED',
      'Unleash has not processed the event yet. While it runs, it processes new events about once a second.',
    );
  }
  return obstacles;
};
