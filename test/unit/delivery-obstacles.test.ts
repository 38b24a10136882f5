import { describe, expect, test } from 'vitest';
import {
  type AnnouncedEvent,
  obstaclesTo,
  type Subscription,
} from '../../src/domain/integrations/delivery-obstacles.js';

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

describe('what keeps an event from an integration', () => {
  test('is nothing when it is enabled and its lists let the event through', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ projects: ['lab', 'web'], environments: ['production'] })).toEqual([]);
    expect(codes({ projects: ['*'], environments: ['*'] })).toEqual([]);
    expect(codes({ projects: ['*', 'lab'] })).toEqual([]);
    expect(codes({ projects: null, environments: null })).toEqual([]);
  });

  test('is that it is switched off, or that its lists name others', () => {
    expect(codes({ enabled: false })).toEqual(['DISABLED']);
    expect(codes({ events: ['feature-updated'] })).toEqual(['TYPE_NOT_SUBSCRIBED']);
    expect(codes({ projects: ['lab'] })).toEqual(['OTHER_PROJECT']);
    expect(codes({ environments: ['development'] })).toEqual(['OTHER_ENVIRONMENT']);
  });

  test('is not a list of types that holds a star: types are taken literally', () => {
    expect(codes({ events: ['*'] })).toEqual(['TYPE_NOT_SUBSCRIBED']);
    expect(codes({ events: [] })).toEqual(['TYPE_NOT_SUBSCRIBED']);
  });

  test('is not undone by a star that stands behind others', () => {
    expect(codes({ projects: ['lab', '*'] })).toEqual(['OTHER_PROJECT']);
  });

  test('is never the project or environment of an event that has none', () => {
    const lists = { projects: ['lab'], environments: ['development'] };
    expect(codes(lists, { projectId: null, environment: null })).toEqual([]);
    expect(codes(lists, { projectId: '', environment: '' })).toEqual([
      'OTHER_PROJECT',
      'OTHER_ENVIRONMENT',
    ]);
  });

  test('is compared as a whole, letter case included', () => {
    expect(codes({ projects: ['web'] }, { projectId: 'web,lab' })).toEqual(['OTHER_PROJECT']);
    expect(codes({ projects: ['Web'] })).toEqual(['OTHER_PROJECT']);
  });

  test('is that it was configured after the event, where both times are known', () => {
    expect(codes({ createdAt: new Date('2024-02-01T00:00:00.001Z') })).toEqual([
      'CONFIGURED_LATER',
    ]);
    expect(codes({ createdAt: EVENT.createdAt })).toEqual([]);
    expect(codes({ createdAt: null })).toEqual([]);
    expect(codes({}, { createdAt: null })).toEqual([]);
  });

  test('is that the service has not taken the event up', () => {
    expect(codes({}, { announced: false })).toEqual(['NOT_ANNOUNCED']);
  });

  test('is all of that at once, in words that name the values', () => {
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
      { code: 'DISABLED', message: 'The integration is switched off.' },
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
          'The service has not taken the event up yet; while it runs, it does so about once a second.',
      },
    ]);
  });

  test('is told with ten names of a long list', () => {
    const projects = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const [obstacle] = obstaclesTo({ ...EVERYTHING, projects }, EVENT);
    expect(obstacle?.message).toBe(
      "It receives events of the projects 'p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8', 'p9' and 2 others; this one belongs to 'web'.",
    );
  });

  test('is read from lists of any shape without an error', () => {
    for (const odd of [null, {}, 'web', 7, [null], [[]], [{ a: 1 }]]) {
      expect(codes({ events: odd })).toEqual(['TYPE_NOT_SUBSCRIBED']);
    }
    expect(codes({ projects: 'lab', environments: { not: 'a list' } })).toEqual([]);
    expect(codes({ enabled: null })).toEqual([]);
  });
});
