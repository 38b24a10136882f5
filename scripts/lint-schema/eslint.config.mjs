import graphql from '@graphql-eslint/eslint-plugin';

const { rules: recommended } = graphql.configs['flat/schema-recommended'];
const { rules: relay } = graphql.configs['flat/schema-relay'];

/** Lint rules of `npm run check` for schema.graphql. */
export default [
  {
    files: ['schema.graphql'],
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: 'schema.graphql' } },
    },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      ...recommended,
      ...relay,
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          DirectiveDefinition: true,
          EnumValueDefinition: true,
          FieldDefinition: true,
          InputValueDefinition: true,
        },
      ],
      // The rule input-name knows no mutation that takes a list of inputs.
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'ObjectTypeDefinition[name.value=Mutation] > FieldDefinition > InputValueDefinition[name.value!=/^inputs?$/]',
          message: 'The argument of a mutation is called input, or inputs if it is a list.',
        },
      ],
      '@graphql-eslint/no-scalar-result-type-on-mutation': 'error',
      '@graphql-eslint/require-nullable-fields-with-oneof': 'error',
      '@graphql-eslint/relay-edge-types': [
        'error',
        {
          withEdgeSuffix: true,
          // Short lists that belong to an object, such as tags, are plain lists.
          listTypeCanWrapOnlyEdgeType: false,
          // A cleanup candidate is an assessment of a feature and has no ID.
          shouldImplementNode: false,
        },
      ],
      // Would also reject `nodeId` of `Node`. The other fields are checked in test/unit/schema.test.ts.
      '@graphql-eslint/no-typename-prefix': 'off',
      // Most types are parts of an object and have no ID; those that have one implement `Node`.
      '@graphql-eslint/strict-id-in-types': 'off',
    },
  },
];
