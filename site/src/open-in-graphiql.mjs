import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, Kind, parse, validate } from 'graphql';
import { REPOSITORY } from './folders.mjs';

const EXECUTABLE = [Kind.OPERATION_DEFINITION, Kind.FRAGMENT_DEFINITION];

const schema = buildSchema(readFileSync(join(REPOSITORY, 'schema.graphql'), 'utf8'), {
  assumeValid: true,
});

const parsed = (source) => {
  try {
    return parse(source);
  } catch {
    return null;
  }
};

/** Whether GraphiQL can run a block: not SDL, not a query of another graph. */
export const runsInGraphiql = (source) => {
  const document = parsed(source);
  if (document === null) return false;
  return (
    document.definitions.every(({ kind }) => EXECUTABLE.includes(kind)) &&
    validate(schema, document).length === 0
  );
};

/** Adds a link to GraphiQL below GraphQL blocks that run there. */
export const openInGraphiql = (md) => {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (...args) => {
    const [tokens, index] = args;
    const { info, content } = tokens[index];
    const block = fence(...args);
    if (info.trim() !== 'graphql' || !runsInGraphiql(content)) return block;
    const operation = encodeURIComponent(content.trim()).replaceAll("'", '%27');
    return `${block}<OpenInGraphiql operation="${operation}" />\n`;
  };
};
