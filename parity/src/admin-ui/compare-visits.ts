import { isDeepStrictEqual } from 'node:util';
import type { Check } from '../part.js';
import { asGatewayCopy } from './copy-feature.js';
import type { Exchange } from './routing-proxy.js';
import { JOURNEY_COMPLETE, type Journey, type Seen } from './visit.js';

const SHOWN_TEXT = 200;

const difference = (expected: readonly string[], found: readonly string[]): string => {
  const added = found.filter((entry) => !expected.includes(entry));
  const missing = expected.filter((entry) => !found.includes(entry));
  return [
    ...added.map((entry) => `only with the gateway: ${entry}`),
    ...missing.map((entry) => `only with Unleash alone: ${entry}`),
  ].join('; ');
};

/** Some pages request resources that this server does not have, with and without the gateway. */
const pageErrorCheck = (alone: Seen, seen: Seen): Check => {
  const expected = alone.pageErrors.map(asGatewayCopy);
  const text = difference(expected, seen.pageErrors);
  const known = expected.length > 0 ? ` except the ${expected.length} of Unleash alone` : '';
  return { what: `no error in console and network${known}`, ...(text && { difference: text }) };
};

const hostsCheck = (alone: Seen, seen: Seen): Check => {
  const text = difference(alone.otherHosts, seen.otherHosts);
  return {
    what: `unreachable other hosts requested, as with Unleash alone: ${seen.otherHosts.join(', ') || 'none'}`,
    ...(text && { difference: text }),
  };
};

/** A clone returns 200 instead of 201 (D-CLONE-1), and the browser may get a 304 from its cache. */
const statusLine = ({ method, path, status }: Exchange) =>
  asGatewayCopy(`${method} ${path} ${status < 400 ? 'success' : status}`);

/** Each of the four paths returns the status that Unleash alone returns to the same person. */
const statusCheck = (alone: Seen, seen: Seen): Check => {
  const text = difference(alone.exchanges.map(statusLine), seen.exchanges.map(statusLine));
  return {
    what: 'the four paths have the statuses of Unleash alone',
    ...(text && { difference: text }),
  };
};

const responseCheck = ({ operations }: Journey, { exchanges }: Seen): Check => {
  const missing = operations.filter(
    (operation) => !exchanges.some((exchange) => exchange.operation === operation),
  );
  const others = exchanges.filter(({ by }) => by !== 'gateway');
  const problems = [
    ...missing.map((operation) => `no request for ${operation}`),
    ...(others.length > 0 ? [`Unleash answered ${others.length}`] : []),
  ];
  return {
    what: `the gateway served all ${exchanges.length} requests for the four paths`,
    ...(problems.length > 0 && { difference: problems.join('; ') }),
  };
};

const shownAround = (text: string, other: string): string => {
  const index = [...text].findIndex((letter, at) => letter !== other[at]);
  return text.slice(Math.max(0, index - 40), index + SHOWN_TEXT);
};

const comparedChecks = (alone: Seen, seen: Seen): Check[] =>
  alone.compared.map(({ what, found }) => {
    const expected = asGatewayCopy(JSON.stringify(found));
    const other = seen.compared.find((entry) => entry.what === what);
    const actual = asGatewayCopy(JSON.stringify(other?.found) ?? '');
    return {
      what: `${what}: as with Unleash alone`,
      ...(!isDeepStrictEqual(expected, actual) && {
        difference: `should be …${shownAround(expected, actual)}…, is …${shownAround(actual, expected)}…`,
      }),
    };
  });

/** Compares the results of a journey with Unleash alone and with the gateway. */
export const compareVisits = (
  prefix: string,
  journey: Journey,
  alone: Seen,
  seen: Seen,
): Check[] => {
  // Only completeness is checked for Unleash alone: its own responses are the reference, not under test.
  const incomplete = alone.checks
    .filter(({ what }) => what === JOURNEY_COMPLETE)
    .map(({ what, ...rest }) => ({ what: `with Unleash alone, ${what}`, ...rest }));
  return [
    ...incomplete,
    ...seen.checks,
    ...comparedChecks(alone, seen),
    pageErrorCheck(alone, seen),
    hostsCheck(alone, seen),
    statusCheck(alone, seen),
    responseCheck(journey, seen),
  ].map(({ what, ...rest }) => ({ what: `${prefix}, ${journey.name}: ${what}`, ...rest }));
};
