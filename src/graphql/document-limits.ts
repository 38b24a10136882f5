import {
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLNamedType,
  isIntrospectionType,
  Kind,
  parse,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import { mergesTooMuch } from './merged-fields.js';

export const OPERATION_LIMITS = {
  /** Locating an error scans all text before it. */
  characters: 100_000,
  tokens: 5_000,
  /** Locating an error counts the lines before it. */
  lines: 1_000,
  /** Levels of nested fields. */
  depth: 15,
  /** Fields with an alias. */
  aliases: 50,
  /** Nested lists of introspection fields. Tools request two levels: types, and their fields or values. */
  schemaLists: 2,
  /** Aliases inside the schema itself, whose parts no page size limits, and of `__type`. */
  schemaAliases: 5,
  directives: 50,
  /** Reported validation errors: each one searches all names for suggestions, which takes a millisecond. */
  errors: 5,
  /** What validation compares, see merged-fields.ts: at these limits it takes up to 25 ms. */
  merged: { pairs: 5_000, fields: 20_000, spreads: 100 },
  /** Levels of nested values in the variables, and in the document. */
  variableDepth: 50,
  /** Values in the variables, including nested ones. */
  variableValues: 5_000,
  /** Values written in a document, including nested ones: validating a thousand takes 10 ms. */
  literalValues: 1_000,
  /** Values in the arguments of all fields, including nested ones. A variable counts for each use. */
  argumentValues: 10_000,
  /** Characters of a text in the document or the variables: a text can be used by thousands of fields. */
  textLength: 10_000,
  /** Fields, multiplied by the sizes of the pages around them. */
  cost: 200_000,
};

export const exceeded = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', http: { status: 400 } } });

const LONG_TEXT = `A string in an operation or its variables can have at most ${OPERATION_LIMITS.textLength} characters; this one has more.`;

const countIn = (document: DocumentNode) => {
  let aliases = 0;
  let directives = 0;
  let textLength = 0;
  visit(document, {
    StringValue: ({ value }) => {
      textLength = Math.max(textLength, value.length);
    },
    Field: ({ alias }) => {
      if (alias) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
  });
  return { aliases, directives, textLength };
};

const countRule: ValidationRule = (context) => ({
  Document: (document) => {
    const counted = countIn(document);
    if (counted.textLength > OPERATION_LIMITS.textLength) context.reportError(exceeded(LONG_TEXT));
    for (const what of ['aliases', 'directives'] as const) {
      if (counted[what] > OPERATION_LIMITS[what]) {
        context.reportError(
          exceeded(
            `An operation can have at most ${OPERATION_LIMITS[what]} ${what}; this one has more.`,
          ),
        );
      }
    }
  },
});

/** `_service` returns the subgraph's whole schema as a single text, each time it is selected. */
const isPartOfSchema = (parent: GraphQLNamedType, field: string) =>
  isIntrospectionType(parent) ||
  parent.name === '_Service' ||
  field === '_service' ||
  field === '__type';

const SCHEMA_LISTS: readonly string[] = [
  'types',
  'fields',
  'inputFields',
  'interfaces',
  'possibleTypes',
];

/** Whether lists of the schema are nested too deeply: every further level multiplies the size of the response. */
const nestsTooDeeply = (context: ValidationContext, root: SelectionSetNode): boolean => {
  /** Fragments, by the depth at which they were checked. */
  const checked = new Map<string, number>();
  const isTooDeep = ({ selections }: SelectionSetNode, depth: number): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        if ((checked.get(name) ?? -1) >= depth) return false;
        checked.set(name, depth);
        const fragment = context.getFragment(name);
        return fragment ? isTooDeep(fragment.selectionSet, depth) : false;
      }
      const isList = selection.kind === Kind.FIELD && SCHEMA_LISTS.includes(selection.name.value);
      const below = isList ? depth + 1 : depth;
      if (below > OPERATION_LIMITS.schemaLists) return true;
      return selection.selectionSet ? isTooDeep(selection.selectionSet, below) : false;
    });
  return isTooDeep(root, 0);
};

/** Introspection costs nothing as long as no part of the schema is selected repeatedly. */
const schemaRule: ValidationRule = (context) => {
  let aliases = 0;
  return {
    Field: ({ alias, name, selectionSet }) => {
      const isSchema = ['__schema', '__type'].includes(name.value);
      if (isSchema && selectionSet && nestsTooDeeply(context, selectionSet)) {
        const message = `Lists of the schema can be nested ${OPERATION_LIMITS.schemaLists} levels deep, such as types and their fields; these are nested more deeply.`;
        context.reportError(exceeded(message));
      }
      const parent = context.getParentType();
      if (alias && parent && isPartOfSchema(parent, name.value)) aliases += 1;
      // Returns the whole schema, which takes 50 ms.
      if (alias && name.value === '__schema') {
        const message = 'The field __schema cannot have an alias: it can be selected once.';
        context.reportError(exceeded(message));
      }
    },
    Document: {
      leave: () => {
        const max = OPERATION_LIMITS.schemaAliases;
        if (aliases <= max) return;
        const message = `An operation can have at most ${max} aliases in introspection fields; this one has more.`;
        context.reportError(exceeded(message));
      },
    },
  };
};

/** Rules beyond GraphQL's own that do not depend on variables. */
export const operationRules: readonly ValidationRule[] = [countRule, schemaRule];

const linesIn = (source: string): number => {
  let lines = 1;
  for (const _ of source.matchAll(/\r\n|[\n\r]/g)) lines += 1;
  return lines;
};

export const parseWithin = (source: string, options: object = {}): DocumentNode => {
  if (source.length > OPERATION_LIMITS.characters) {
    const message = `An operation can have at most ${OPERATION_LIMITS.characters} characters; this one has more.`;
    throw exceeded(message);
  }
  if (linesIn(source) > OPERATION_LIMITS.lines) {
    throw exceeded(
      `An operation can have at most ${OPERATION_LIMITS.lines} lines; this one has more.`,
    );
  }
  try {
    return parse(source, { ...options, maxTokens: OPERATION_LIMITS.tokens });
  } catch (error) {
    // The parser is recursive in nested values.
    if (error instanceof RangeError) throw exceeded('The operation is nested too deeply.');
    if (!/more that \d+ tokens/.test((error as Error).message)) throw error;
    throw exceeded(
      `An operation can have at most ${OPERATION_LIMITS.tokens} tokens; this one has more.`,
    );
  }
};

/**
 * Why the values written in a document are rejected: validation visits each of them several times, and repeats a part of
 * its work for each level.
 */
const excessOfLiterals = (document: DocumentNode): string | null => {
  const { literalValues, variableDepth } = OPERATION_LIMITS;
  let [depth, count] = [0, 0];
  let excess: string | null = null;
  const enter = () => {
    count += 1;
    if (count <= literalValues) return;
    excess = `A document can contain at most ${literalValues} values; this one has more. Pass lists as variables.`;
    return BREAK;
  };
  const container = {
    enter: () => {
      depth += 1;
      if (depth <= variableDepth) return enter();
      excess = `Values can be nested ${variableDepth} levels deep; these are deeper.`;
      return BREAK;
    },
    leave: () => {
      depth -= 1;
    },
  };
  visit(document, {
    ObjectValue: container,
    ListValue: container,
    IntValue: enter,
    FloatValue: enter,
    StringValue: enter,
    BooleanValue: enter,
    EnumValue: enter,
    NullValue: enter,
  });
  return excess;
};

/** GraphQL's own validation, for documents that it can validate quickly. */
export const validateWithin: typeof validate = (schema, document, rules, options, typeInfo) => {
  const { errors: maxErrors, merged } = OPERATION_LIMITS;
  const excess = excessOfLiterals(document);
  if (excess !== null) return [exceeded(excess)];
  if (!mergesTooMuch(document, merged)) {
    return validate(schema, document, rules, { ...options, maxErrors }, typeInfo);
  }
  return [
    exceeded(
      'The operation repeats the same fields or fragments too often. Name each field of an object once, and spread fewer fragments.',
    ),
  ];
};

export const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** GraphQL coerces variables recursively, value by value, so too many must not even get there. */
export const excessOf = (
  variables: unknown,
  { what = 'Variables', hasShortTexts = true } = {},
): string | null => {
  const { variableDepth, variableValues, textLength } = OPERATION_LIMITS;
  let count = 0;
  let level = isContainer(variables) ? [variables] : [];
  for (let depth = 0; level.length > 0; depth++) {
    const next: object[] = [];
    for (const container of level) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container);
      count += values.length;
      if (count > variableValues) {
        return `${what} can have at most ${variableValues} values; these have more.`;
      }
      if (values.length > 0 && depth >= variableDepth) {
        return `${what} can be nested ${variableDepth} levels deep; these are deeper.`;
      }
      for (const value of values) {
        if (isContainer(value)) next.push(value);
        else if (hasShortTexts && typeof value === 'string' && value.length > textLength) {
          return LONG_TEXT;
        }
      }
    }
    level = next;
  }
  return null;
};

/** The same for all parts of a request, before it waits: parsed values take more memory than their text. */
export const excessOfRequest = (body: unknown): string | null => {
  if (typeof body !== 'object' || body === null) return null;
  const { variables, ...others } = body as Record<string, unknown>;
  return (
    excessOf(variables) ?? excessOf(others, { what: 'Parts of a request', hasShortTexts: false })
  );
};
