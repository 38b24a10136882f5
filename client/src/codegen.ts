import { scalars } from './generated/scalars.js';

export { scalars };

type Options = {
  /** Files with operations, such as `src/**\/*.tsx`. */
  documents: string | string[];
  /** Folder to generate, such as `src/generated/`. */
  output: string;
  /** Path or URL of the schema. Defaults to the schema of this package. */
  schema?: string;
};

/** A configuration for GraphQL Code Generator, with its client preset. */
export const codegenConfig = ({
  documents,
  output,
  schema = 'node_modules/@flaggraph/client/schema.graphql',
}: Options) => ({
  schema,
  documents,
  generates: {
    [output]: {
      preset: 'client' as const,
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars,
      },
    },
  },
});
