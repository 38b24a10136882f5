import { asArray, asStrings } from '../json.js';

/** What of an integration decides whether an event is sent to it; JSON that other versions wrote. */
export type Subscription = {
  enabled: boolean | null;
  events: unknown;
  projects: unknown;
  environments: unknown;
  createdAt: Date | null;
};

export type AnnouncedEvent = {
  type: string;
  projectId: string | null;
  environment: string | null;
  createdAt: Date | null;
  /** Whether the service has taken the event up for its listeners. */
  announced: boolean;
};

export const OBSTACLES = {
  DISABLED: 'The integration is switched off.',
  TYPE_NOT_SUBSCRIBED: 'It does not receive events of this type.',
  OTHER_PROJECT: 'It receives events of other projects only.',
  OTHER_ENVIRONMENT: 'It receives events of other environments only.',
  CONFIGURED_LATER: 'It was configured after the event was recorded.',
  NOT_ANNOUNCED: 'The service has not taken the event up yet.',
} as const;

export type Obstacle = { code: keyof typeof OBSTACLES; message: string };

/** An integration may receive a hundred types. */
const MOST_NAMED = 10;

const quoted = (values: unknown): string => {
  const names = asStrings(values).map((value) => `'${value}'`);
  if (names.length === 0) return 'none';
  const others = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (others > 0 ? ` and ${others} others` : '');
};

/** An empty list, or one that starts with a star, lets everything through, and so does an event without a value. */
const isLeftOut = (list: unknown, value: string | null): value is string => {
  const names = asArray(list);
  return value !== null && names.length > 0 && names[0] !== '*' && !names.includes(value);
};

/** All that keeps the service from sending an event to an integration as it is configured now. */
export const obstaclesTo = (integration: Subscription, event: AnnouncedEvent): Obstacle[] => {
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
  if (isLeftOut(projects, event.projectId)) {
    add(
      'OTHER_PROJECT',
      `It receives events of the projects ${quoted(projects)}; this one belongs to '${event.projectId}'.`,
    );
  }
  if (isLeftOut(environments, event.environment)) {
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
      'The service has not taken the event up yet; while it runs, it does so about once a second.',
    );
  }
  return obstacles;
};
