import { describe, expect, test } from 'vitest';
import type {
  AnnouncedEvent,
  Subscription,
} from '../../src/data/integrations/delivery-facts.sql.js';
import { obstaclesTo } from '../../src/domain/integrations/delivery-obstacles.js';

const EVERYTHING: Subscription = {
  enabled: true,
  events: ['feature-created', 'feature-updated'],
  projects: [],
  environments: [],
  createdAt: new Date('2024-01-01T00:00:00Z'),
};

const EVENT: AnnouncedEvent = {
  type: 'feature-created',
  projectId: 'web',
  environment: 'production',
  createdAt: new Date('2024-02-01T00:00:00Z'),
  announced: true,
};

const codes = (subscription: Partial<Subscription>, event: Partial<AnnouncedEvent> = {}) =>
  obstaclesTo({ ...EVERYTHING, ...subscription }, { ...EVENT, ...event }).map(({ code }) => code);

describe('obstacles to a delivery', () => {
  test('are empty when the integration is enabled and its lists include the event', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ projects: ['lab', 'web'], environments: ['production'] })).toEqual([]);
    expect(codes({ projects: ['*'], environments: ['*'] })).toEqual([]);
    expect(codes({ projects: ['*', 'lab'] })).toEqual([]);
    expect(codes({ projects: null, environments: null })).toEqual([]);
  });

  test('include a disabled integration, and lists without the event', () => {
    expect(codes({ enabled: false })).toEqual(['DISABLED']);
    expect(codes({ events: ['feature-updated'] })).toEqual(['TYPE_NOT_SUBSCRIBED']);
    expect(codes({ projects: ['lab'] })).toEqual(['OTHER_PROJECT']);
    expect(codes({ environments: ['development'] })).toEqual(['OTHER_ENVIRONMENT']);
  });

  test("do not treat '*' as a wildcard in lists of event types", () => {
    expect(codes({ events: ['*'] })).toEqual(['TYPE_NOT_SUBSCRIBED']);
    expect(codes({ events: [] })).toEqual(['TYPE_NOT_SUBSCRIBED']);
  });

  test('name the subscribed types, the first ten', () => {
    const messagesFor = (events: string[]) =>
      obstaclesTo({ ...EVERYTHING, events }, EVENT).map(({ message }) => message);
    const types = Array.from({ length: 12 }, (_, index) => `type-${index}`);
    expect(messagesFor([])).toEqual([expect.stringContaining('of the types none;')]);
    expect(messagesFor(types.slice(0, 2))).toEqual([
      expect.stringContaining("'type-0', 'type-1';"),
    ]);
    expect(messagesFor(types)).toEqual([expect.stringContaining("'type-9' and 2 others;")]);
  });

  test("ignore '*' unless it comes first in the list", () => {
    expect(codes({ projects: ['lab', '*'] })).toEqual(['OTHER_PROJECT']);
  });

  test('never include the project or environment of an event that has none', () => {
    const lists = { projects: ['lab'], environments: ['development'] };
    expect(codes(lists, { projectId: null, environment: null })).toEqual([]);
    expect(codes(lists, { projectId: '', environment: '' })).toEqual([
      'OTHER_PROJECT',
      'OTHER_ENVIRONMENT',
    ]);
  });

  test('compare whole names, case-sensitively', () => {
    expect(codes({ projects: ['web'] }, { projectId: 'web,lab' })).toEqual(['OTHER_PROJECT']);
    expect(codes({ projects: ['Web'] })).toEqual(['OTHER_PROJECT']);
  });

  test('include an integration configured after the event, if both timestamps are known', () => {
    expect(codes({ createdAt: new Date('2024-02-01T00:00:00.001Z') })).toEqual([
      'CONFIGURED_LATER',
    ]);
    expect(codes({ createdAt: EVENT.createdAt })).toEqual([]);
    expect(codes({ createdAt: null })).toEqual([]);
    expect(codes({}, { createdAt: null })).toEqual([]);
  });

  test('include an event that Unleash has not announced', () => {
    expect(codes({}, { announced: false })).toEqual(['NOT_ANNOUNCED']);
  });

  test('are all reported at once, with the values in their messages', () => {
    const obstacles = obstaclesTo(
      {
        enabled: false,
        events: ['feature-updated', 'feature-archived'],
        projects: ['lab'],
        environments: ['development', 7],
        createdAt: new Date('2024-03-01T00:00:00Z'),
      },
      { ...EVENT, announced: false },
    );
    expect(obstacles).toEqual([
      { code: 'DISABLED', message: 'The integration is disabled.' },
      {
        code: 'TYPE_NOT_SUBSCRIBED',
        message:
          "It receives events of the types 'feature-updated', 'feature-archived'; this one is 'feature-created'.",
      },
      {
        code: 'OTHER_PROJECT',
        message: "It receives events of the projects 'lab'; this one belongs to 'web'.",
      },
      {
        code: 'OTHER_ENVIRONMENT',
        message:
          "It receives events of the environments 'development'; this one belongs to 'production'.",
      },
      {
        code: 'CONFIGURED_LATER',
        message:
          'It was configured at 2024-03-01T00:00:00.000Z, after the event was recorded at 2024-02-01T00:00:00.000Z.',
      },
      {
        code: 'NOT_ANNOUNCED',
        message:
          'Unleash has not processed the event yet. While it runs, it processes new events about once a second.',
      },
    ]);
  });

  test('list at most ten names of a long list', () => {
    const projects = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const [obstacle] = obstaclesTo({ ...EVERYTHING, projects }, EVENT);
    expect(obstacle?.message).toBe(
      "It receives events of the projects 'p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8', 'p9' and 2 others; this one belongs to 'web'.",
    );
  });

  test('accept lists of any shape without an error', () => {
    for (const value of [null, {}, 'web', 7, [null], [[]], [{ a: 1 }]]) {
      expect(codes({ events: value })).toEqual(['TYPE_NOT_SUBSCRIBED']);
    }
    expect(codes({ projects: 'lab', environments: { not: 'a list' } })).toEqual([]);
    expect(codes({ enabled: null })).toEqual([]);
  });
});
