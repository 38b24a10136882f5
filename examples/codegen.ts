import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../schema.graphql',
  documents: ['operations.ts'],
  generates: {
    './generated/': {
      preset: 'client',
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: {
          DateTime: 'string',
          Duration: 'string',
          JSON: 'unknown',
          JSONObject: 'Record<string, unknown>',
          _Any: 'unknown',
        },
      },
      presetConfig: { fragmentMasking: false },
    },
    // Apollo's cache needs to know the types that implement an interface.
    './generated/possible-types.ts': { plugins: ['fragment-matcher'] },
  },
};

export default config;
