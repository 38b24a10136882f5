import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode, visit } from 'graphql';
import { fragmentsOf } from './fragments.js';

/** Deeper operations are rejected anyway, and recursive fragments have no end. */
const MAX_DEPTH = 20;

export type MergeLimits = {
  /** Pairs of fields with the same response key. */
  pairs: number;
  /** Fields, counted each time a fragment repeats them. */
  fields: number;
  /** Fragment spreads: fragments in one place are compared with each other, too. */
  spreads: number;
};

const countSpreads = (document: DocumentNode): number => {
  let count = 0;
  visit(document, {
    FragmentSpread: () => {
      count += 1;
    },
  });
  return count;
};

/**
 * Whether validation would compare too many fields: fields with the same response key are compared pairwise, so their
 * number counts squared.
 */
export const mergesTooMuch = (document: DocumentNode, limits: MergeLimits): boolean => {
  const fragments = fragmentsOf(document);
  let pairs = 0;
  let fields = 0;
  const reached = new Set<string>();
  const isTooMuch = () => pairs > limits.pairs || fields > limits.fields;

  const collect = (
    set: SelectionSetNode,
    found: Map<string, FieldNode[]>,
    seen: Set<string>,
  ): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        const name = node.alias?.value ?? node.name.value;
        const same = found.get(name);
        pairs += same?.length ?? 0;
        fields += 1;
        if (isTooMuch()) return;
        if (same) same.push(node);
        else found.set(name, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet, found, seen);
      } else if (!seen.has(node.name.value)) {
        seen.add(node.name.value);
        reached.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) collect(fragment.selectionSet, found, seen);
      }
    }
  };

  const compare = (sets: readonly SelectionSetNode[], depth: number): void => {
    const found = new Map<string, FieldNode[]>();
    const seen = new Set<string>();
    for (const set of sets) collect(set, found, seen);
    if (depth >= MAX_DEPTH) return;
    for (const same of found.values()) {
      if (isTooMuch()) return;
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) compare(below, depth + 1);
    }
  };

  if (countSpreads(document) > limits.spreads) return true;
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) compare([node.selectionSet], 1);
  }
  // Fragments that no operation uses are rejected, but only after they are compared.
  for (const { name, selectionSet } of fragments.values()) {
    if (!reached.has(name.value)) compare([selectionSet], 1);
  }
  return isTooMuch();
};
