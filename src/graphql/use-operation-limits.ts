import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLNamedType,
  getOperationAST,
  isIntrospectionType,
  Kind,
  parse,
  type ValidationRule,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { isIntrospection } from './use-access.js';

export const OPERATION_LIMITS = {
  /** Every error looks for its line in all that stands before it. */
  characters: 100_000,
  /** Words and signs of a document. */
  tokens: 5_000,
  /** Fields below each other. */
  depth: 15,
  /** Fields under another name. */
  aliases: 50,
  /** The same for the schema itself, whose parts no page size limits. */
  schemaAliases: 5,
  directives: 50,
  /** Values inside each other in the variables. */
  variableDepth: 50,
  /** Values of the variables, those inside of others included. */
  variableValues: 20_000,
  /** Fields, each as often as the pages around it may repeat it. */
  cost: 200_000,
};

const exceeded = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'LIMIT_EXCEEDED', http: { status: 400 } } });

const countIn = (document: DocumentNode) => {
  let aliases = 0;
  let directives = 0;
  visit(document, {
    Field: ({ alias }) => {
      if (alias) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
  });
  return { aliases, directives };
};

const countRule: ValidationRule = (context) => ({
  Document: (document) => {
    const counted = countIn(document);
    for (const what of ['aliases', 'directives'] as const) {
      if (counted[what] > OPERATION_LIMITS[what]) {
        context.reportError(
          exceeded(`An operation may hold ${OPERATION_LIMITS[what]} ${what}; this one holds more.`),
        );
      }
    }
  },
});

/** The subgraph's whole schema is a single text, named once or again and again. */
const isPartOfSchema = (parent: GraphQLNamedType, field: string) =>
  isIntrospectionType(parent) || parent.name === '_Service' || field === '_service';

/** Asking for the schema costs nothing as long as no part of it is asked for again and again. */
const schemaRule: ValidationRule = (context) => {
  let aliases = 0;
  return {
    Field: ({ alias, name }) => {
      const parent = context.getParentType();
      if (alias && parent && isPartOfSchema(parent, name.value)) aliases += 1;
    },
    Document: {
      leave: () => {
        const most = OPERATION_LIMITS.schemaAliases;
        if (aliases <= most) return;
        const message = `An operation may hold ${most} aliases inside the schema; this one holds more.`;
        context.reportError(exceeded(message));
      },
    },
  };
};

/** What an operation must fulfil beyond GraphQL's own rules, whatever its variables. */
export const operationRules: readonly ValidationRule[] = [countRule, schemaRule];

export const parseWithin = (source: string, options: object = {}): DocumentNode => {
  if (source.length > OPERATION_LIMITS.characters) {
    const message = `An operation may be ${OPERATION_LIMITS.characters} characters long; this one is longer.`;
    throw exceeded(message);
  }
  try {
    return parse(source, { ...options, maxTokens: OPERATION_LIMITS.tokens });
  } catch (error) {
    // The parser calls itself for every value inside a value.
    if (error instanceof RangeError) throw exceeded('The operation is nested too deeply.');
    if (!/more that \d+ tokens/.test((error as Error).message)) throw error;
    throw exceeded(`An operation may hold ${OPERATION_LIMITS.tokens} tokens; this one holds more.`);
  }
};

/** GraphQL reads variables value by value, with a function that calls itself: too many must not even get there. */
const excessOf = (variables: unknown): string | null => {
  const { variableDepth, variableValues } = OPERATION_LIMITS;
  let count = 0;
  let level = [variables];
  for (let depth = 0; level.length > 0; depth++) {
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
    count += level.length;
    if (count > variableValues) {
      return `Variables may hold ${variableValues} values; these hold more.`;
    }
    if (depth > variableDepth) {
      return `Variables may be nested ${variableDepth} levels deep; these are deeper.`;
    }
  }
  return null;
};

/** The library weighs the first operation of a document, whichever is asked for: it is shown that one alone. */
const askedFor = ({ document, operationName }: ExecutionArgs): DocumentNode | null => {
  const chosen = getOperationAST(document, operationName);
  if (!chosen) return null;
  const definitions = document.definitions.filter(
    (definition) => definition.kind !== Kind.OPERATION_DEFINITION || definition === chosen,
  );
  return { ...document, definitions };
};

/** Asking for the schema itself costs nothing, nor does what GraphQL will refuse. */
const weigh = (args: ExecutionArgs): { depth: number; complexity: number } => {
  const document = isIntrospection(args.document, args.operationName) ? null : askedFor(args);
  return document
    ? complexityFromQuery(document, {
        schema: args.schema,
        ctx: args.contextValue as object,
        variables: args.variableValues ?? {},
      })
    : { depth: 0, complexity: 0 };
};

/** What an operation costs; null for one that is refused before anybody works that out. */
export const costOf = (args: ExecutionArgs): number | null =>
  excessOf(args.variableValues) === null ? weigh(args).complexity : null;

const judgeCost = (args: ExecutionArgs): GraphQLError | null => {
  const excess = excessOf(args.variableValues);
  if (excess !== null) return exceeded(excess);
  const { depth, complexity } = weigh(args);
  if (depth > OPERATION_LIMITS.depth) {
    return exceeded(
      `An operation may be ${OPERATION_LIMITS.depth} fields deep; this one is ${depth}.`,
    );
  }
  if (complexity <= OPERATION_LIMITS.cost) return null;
  const excessive = Number.isSafeInteger(complexity) ? complexity : 'far more';
  return exceeded(
    `An operation may cost ${OPERATION_LIMITS.cost}; this one costs ${excessive}. Ask for smaller pages or fewer levels.`,
  );
};

/** Refuses operations that are too long, too deep or too expensive before anything is resolved. */
export const useOperationLimits = (): Plugin => ({
  onParse({ setParseFn }) {
    setParseFn(parseWithin);
  },
  onValidate({ addValidationRule }) {
    for (const rule of operationRules) addValidationRule(rule);
  },
  onExecute: ({ args, setResultAndStopExecution }) => {
    const error = judgeCost(args);
    if (error) setResultAndStopExecution({ errors: [error] });
  },
  onSubscribe: ({ args, setResultAndStopExecution }) => {
    const error = judgeCost(args);
    if (error) setResultAndStopExecution({ errors: [error] });
  },
});
