import { isEqual } from '../../events/changes/is-equal.js';
import type { JsonObject } from '../../json.js';

type IsPair = (one: JsonObject, other: JsonObject) => boolean;

const withoutId = ({ id: _, ...content }: JsonObject): JsonObject => content;

/** The same content, else the same type and title, else the same type. */
const MATCHES: readonly IsPair[] = [
  (one, other) => isEqual(withoutId(one), withoutId(other)),
  (one, other) => one['name'] === other['name'] && one['title'] === other['title'],
  (one, other) => one['name'] === other['name'],
];

/**
 * Strategies of another environment, with the IDs of their counterparts: strategies of two environments never share an
 * ID. The rest keep theirs.
 */
export const withCounterpartIds = (
  strategies: readonly JsonObject[],
  counterparts: readonly JsonObject[],
): JsonObject[] => {
  const paired = new Map<JsonObject, JsonObject>();
  const taken = new Set<JsonObject>();
  for (const isPair of MATCHES) {
    for (const strategy of strategies) {
      if (paired.has(strategy)) continue;
      const counterpart = counterparts.find((one) => !taken.has(one) && isPair(one, strategy));
      if (!counterpart) continue;
      paired.set(strategy, counterpart);
      taken.add(counterpart);
    }
  }
  return strategies.map((strategy) => ({
    ...strategy,
    id: (paired.get(strategy) ?? strategy)['id'],
  }));
};
