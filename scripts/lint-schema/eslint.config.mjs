import graphql from '@graphql-eslint/eslint-plugin';

const { rules: recommended } = graphql.configs['flat/schema-recommended'];
const { rules: relay } = graphql.configs['flat/schema-relay'];
const [, names] = recommended['@graphql-eslint/naming-convention'];

/** Names that Apollo Federation's specification prescribes without descriptions. */
const FEDERATION = {
  types: '^(_Any|_Entity|_Service|(federation|link)__\\w+)$',
  fields: '^_(entities|service)$',
};

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
      '@graphql-eslint/naming-convention': [
        'error',
        {
          ...names,
          // Only federation's own names start with an underscore: test/unit/schema.test.ts.
          allowLeadingUnderscore: true,
          types: { style: names.types, ignorePattern: FEDERATION.types },
          FieldDefinition: { style: names.FieldDefinition, ignorePattern: FEDERATION.fields },
        },
      ],
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          rootField: true,
          DirectiveDefinition: true,
          EnumValueDefinition: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          ignoredSelectors: [
            `[name.value=/${FEDERATION.types}/]`,
            `[parent.name.value=/${FEDERATION.types}/]`,
            `[name.value=/${FEDERATION.fields}/]`,
            `[parent.name.value=/${FEDERATION.fields}/]`,
          ],
        },
      ],
      '@graphql-eslint/input-name': [
        'error',
        { checkInputType: true, caseSensitiveInputType: false },
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
