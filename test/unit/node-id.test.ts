import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import { assertType, decodeNodeId, encodeNodeId, type NodeKey } from '../../src/graphql/node-id.js';

const OURS = 'Ab-_12';
const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('a node ID', () => {
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
  ])('decodes to %j', (key) => {
    const id = encodeNodeId(OURS, key);
    expect(id).toMatch(/^[\w-]+$/);
    expect(decodeNodeId('id', id, OURS)).toEqual(key);
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

  test('of another deployment is rejected, if both have a fingerprint', () => {
    const key: NodeKey = { type: 'Event', key: '1' };
    const foreign = encodeNodeId('other1', key);
    expect(() => decodeNodeId('id', foreign, OURS)).toThrow(BadDataError);
    expect(() => decodeNodeId('id', foreign, OURS)).toThrow(
      /'id' is a nodeId of another depl.*feature\(name:\)/,
    );
    expect(decodeNodeId('id', foreign, null)).toEqual(key);
    expect(decodeNodeId('id', encodeNodeId(null, key), OURS)).toEqual(key);
  });

  test.each([
    ['empty', ''],
    ['a number', '42'],
    ['a name', 'checkout'],
    ['text that is not base64', 'ö ö ö'],
    ['another version', encode(`2:${OURS}:Event:1`)],
    ['without a key', encode(`1:${OURS}:Event`)],
    ['of a type without IDs', encode(`1:${OURS}:Tag:simple`)],
    ['of a built-in JavaScript name', encode(`1:${OURS}:constructor:1`)],
    ['of a type in another letter case', encode(`1:${OURS}:event:1`)],
    ['an event without a numeric ID', encode(`1:${OURS}:Event:one`)],
    ['an ID with leading zeros', encode(`1:${OURS}:Event:01`)],
    ['an event ID out of range', encode(`1:${OURS}:Event:2147483648`)],
    ['a delivery ID out of range', encode(`1:${OURS}:IntegrationEvent:9223372036854775808`)],
    ['a name with NUL', encode(`1:${OURS}:Feature:a\0b`)],
    ['invalid UTF-8', Buffer.from([49, 58, 58, 255, 254]).toString('base64url')],
    ['part of a cursor', encode('1:abcdefgh:5')],
    ['padded', `${encode(`1:${OURS}:Event:1`)}=`],
    ['preceded by a space', ` ${encode(`1:${OURS}:Event:1`)}`],
    ['extremely long', encode(`1:${OURS}:Feature:${'x'.repeat(100_000)}`)],
  ])('cannot be %s', (_title, id) => {
    expect(() => decodeNodeId('ids.3', id, OURS)).toThrow(BadDataError);
    expect(() => decodeNodeId('ids.3', id, OURS)).toThrow(/'ids.3' is not a nodeId\. /);
  });
});

test('rejects a node of an unexpected type, naming both types', () => {
  const event: NodeKey = { type: 'Event', key: '1' };
  expect(() => assertType('id', event, 'Event')).not.toThrow();
  expect(() => assertType('id', event, null)).not.toThrow();
  expect(() => assertType('id', event, 'Feature')).toThrow(BadDataError);
  expect(() => assertType('id', event, 'Feature')).toThrow(
    "'id' is the nodeId of an Event, not of a Feature. Use one of a Feature, or change 'type'.",
  );
});
