import { graphql } from 'relay-runtime';

export const features = graphql`
  fragment featureList_query on Query
  @argumentDefinitions(
    count: { type: "Int", defaultValue: 3 }
    cursor: { type: "String" }
    filter: { type: "FeatureFilter" }
  )
  @refetchable(queryName: "featureListPageQuery") {
    features(first: $count, after: $cursor, filter: $filter)
      @connection(key: "featureList_query_features", filters: ["filter"]) {
      edges {
        node {
          name
          project {
            id
            name
          }
        }
      }
    }
  }
`;

export const query = graphql`
  query featureListQuery($filter: FeatureFilter) {
    ...featureList_query @arguments(filter: $filter)
  }
`;

export const one = graphql`
  query featureListNodeQuery($id: ID!) {
    node(id: $id) {
      ... on Feature {
        name
        stale
      }
    }
  }
`;
