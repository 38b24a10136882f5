import type { Difference } from '../differences.js';
import type { Exchange } from '../exchange.js';
import { partsOf, textParam } from '../query.js';
import { isError } from '../view.js';
import { accept, isClientError, listIn } from './settle.js';

const isList = ({ request }: Exchange) => request.operation === 'integration events';

const idOf = ({ wire }: Exchange): string => {
  try {
    return decodeURIComponent(partsOf(wire)[3] ?? '');
  } catch {
    return '';
  }
};

/** PostgreSQL 16 and newer parse these as integers. */
const isNewerInteger = (exchange: Exchange) =>
  /^\s*[+-]?0[xob]/i.test(idOf(exchange)) &&
  exchange.upstream.status === 200 &&
  isError(exchange.gateway, 400, 'BadDataError');

const isEmptyList = (exchange: Exchange) =>
  exchange.upstream.status === 200 && listIn(exchange.upstream, 'integrationEvents')?.length === 0;

export const INTEGRATION_EVENTS: readonly Difference[] = [
  {
    id: 'D-INT-1',
    settle: (exchange) =>
      isList(exchange) &&
      isEmptyList(exchange) &&
      !exchange.world.integrationIds.includes(Number(idOf(exchange))) &&
      isError(exchange.gateway, 404, 'NotFoundError')
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-INT-2',
    settle: (exchange) =>
      isList(exchange) &&
      !/^\s*[+-]?\d{1,9}\s*$/.test(idOf(exchange)) &&
      (isClientError(exchange) || isNewerInteger(exchange))
        ? accept(exchange)
        : undefined,
  },
  {
    id: 'D-INT-3',
    settle: (exchange) =>
      isList(exchange) &&
      isError(exchange.upstream, 500, 'UnknownError') &&
      Number(textParam(exchange.wire, 'offset')) >= 2 ** 63 &&
      (exchange.gateway.status === 404 ||
        listIn(exchange.gateway, 'integrationEvents')?.length === 0)
        ? accept(exchange)
        : undefined,
  },
];
