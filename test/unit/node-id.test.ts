import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import {
  assertType,
  decodeNodeId,
  encodeNodeId,
  isNodeId,
  type NodeKey,
} from '../../src/graphql/node-id.js';

const OURS = 'Ab-_12';
const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('the id of an object', () => {
  test.each<NodeKey>([
    { type: 'Event', key: '1' },
    { type: 'Event', key: '2147483647' },
    { type: 'Feature', key: 'checkout' },
    { type: 'Feature', key: 'with:colons:1:x' },
    { type: 'Feature', key: 'ünï 🌲\nnew line' },
    { type: 'Feature', key: '𝔘'.repeat(255) },
    { type: 'Project', key: 'default' },
    { type: 'Integration', key: '7' },
    { type: 'IntegrationEvent', key: '9223372036854775807' },
  ])('leads back to %j', (key) => {
    const id = encodeNodeId(OURS, key);
    expect(id).toMatch(/^[\w-]+$/);
    expect(decodeNodeId('id', id, OURS)).toEqual(key);
    expect(isNodeId(id)).toBe(true);
  });

  test('differs between types and between deployments', () => {
    const ids = [
      encodeNodeId(OURS, { type: 'Event', key: '1' }),
      encodeNodeId(OURS, { type: 'Integration', key: '1' }),
      encodeNodeId('other1', { type: 'Event', key: '1' }),
      encodeNodeId(null, { type: 'Event', key: '1' }),
    ];
    expect(new Set(ids).size).toBe(4);
  });

  test('of another deployment is refused, as far as both have a mark', () => {
    const key: NodeKey = { type: 'Event', key: '1' };
    const foreign = encodeNodeId('other1', key);
    expect(() => decodeNodeId('id', foreign, OURS)).toThrow(BadDataError);
    expect(() => decodeNodeId('id', foreign, OURS)).toThrow(
      /'id' is a nodeId of another depl.*lookup/,
    );
    expect(decodeNodeId('id', foreign, null)).toEqual(key);
    expect(decodeNodeId('id', encodeNodeId(null, key), OURS)).toEqual(key);
  });

  test.each([
    ['nothing', ''],
    ['a number', '42'],
    ['a name', 'checkout'],
    ['what is not base64', 'ö ö ö'],
    ['another version', encode(`2:${OURS}:Event:1`)],
    ['no key', encode(`1:${OURS}:Event`)],
    ['a type without ids', encode(`1:${OURS}:Tag:simple`)],
    ['a type of JavaScript', encode(`1:${OURS}:constructor:1`)],
    ['a type in other letters', encode(`1:${OURS}:event:1`)],
    ['an event without a number', encode(`1:${OURS}:Event:one`)],
    ['a number written in another way', encode(`1:${OURS}:Event:01`)],
    ['a number no event has', encode(`1:${OURS}:Event:2147483648`)],
    ['a number no delivery has', encode(`1:${OURS}:IntegrationEvent:9223372036854775808`)],
    ['a name with NUL', encode(`1:${OURS}:Feature:a\0b`)],
    ['bytes that are no text', Buffer.from([49, 58, 58, 255, 254]).toString('base64url')],
    ['half a cursor', encode('1:abcdefgh:5')],
    ['padding', `${encode(`1:${OURS}:Event:1`)}=`],
    ['a blank', ` ${encode(`1:${OURS}:Event:1`)}`],
    ['something endless', encode(`1:${OURS}:Feature:${'x'.repeat(100_000)}`)],
  ])('is not %s', (_what, id) => {
    expect(() => decodeNodeId('ids.3', id, OURS)).toThrow(BadDataError);
    expect(() => decodeNodeId('ids.3', id, OURS)).toThrow(/'ids.3' is not a nodeId: give one that/);
    expect(isNodeId(id)).toBe(false);
  });
});

test('an object of another type than expected is refused, naming both', () => {
  const event: NodeKey = { type: 'Event', key: '1' };
  expect(() => assertType('id', event, 'Event')).not.toThrow();
  expect(() => assertType('id', event, null)).not.toThrow();
  expect(() => assertType('id', event, 'Feature')).toThrow(BadDataError);
  expect(() => assertType('id', event, 'Feature')).toThrow(
    "'id' stands for an Event, not for a Feature: give one of a Feature, or ask for another 'type'.",
  );
});
