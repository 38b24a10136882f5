import { CloseCode, MessageType } from 'graphql-ws';
import { isObject } from '../../domain/json.js';
import { exceedsShape, type JsonShape } from '../json-shape.js';
import { SocketClose } from './socket-close.js';

/** A message of a client, by the protocol graphql-transport-ws. */
export type ClientMessage =
  | { type: MessageType.ConnectionInit; payload: Record<string, unknown> }
  | { type: MessageType.Ping; payload: Record<string, unknown> | undefined }
  | { type: MessageType.Pong }
  | { type: MessageType.Subscribe; id: string; payload: Record<string, unknown> }
  | { type: MessageType.Complete; id: string };

const MAX_ID_LENGTH = 200;
/** Of a message that starts no operation, and therefore costs no points. */
const MAX_FREE_CHARACTERS = 16_384;

const invalid = (reason: string) => new SocketClose(CloseCode.BadRequest, reason);

const readId = (id: unknown): string => {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH) return id;
  throw invalid(`'id' must be a string of 1 to ${MAX_ID_LENGTH} characters.`);
};

const readPayload = (payload: unknown): Record<string, unknown> | undefined => {
  if (payload === undefined || payload === null) return undefined;
  if (isObject(payload)) return payload;
  throw invalid("'payload' must be an object.");
};

const parse = (text: string, shape: JsonShape): unknown => {
  if (exceedsShape(text, shape)) throw invalid('The message has too many values or levels.');
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The message is not well-formed JSON.');
  }
};

/**
 * Parses a message. Not with graphql-ws, which parses a text of any shape, and rejects operations without a text:
 * trusted documents have none.
 */
export const readMessage = (text: string, shape: JsonShape): ClientMessage => {
  const message = parse(text, shape);
  if (!isObject(message)) throw invalid('A message must be a JSON object.');
  const { type, id, payload } = message;
  if (type !== MessageType.Subscribe && text.length > MAX_FREE_CHARACTERS) {
    throw invalid(`Only 'subscribe' can have more than ${MAX_FREE_CHARACTERS} characters.`);
  }
  switch (type) {
    case MessageType.ConnectionInit:
      return { type, payload: readPayload(payload) ?? {} };
    case MessageType.Ping:
      return { type, payload: readPayload(payload) };
    case MessageType.Pong:
      return { type };
    case MessageType.Subscribe:
      return { type, id: readId(id), payload: readPayload(payload) ?? {} };
    case MessageType.Complete:
      return { type, id: readId(id) };
    default:
      throw invalid("'type' is not that of a message of graphql-transport-ws.");
  }
};
