import { graphql } from 'relay-runtime';

export const asOf = graphql`
  query asOfQuery($time: DateTime!) {
    feature(name: "checkout-one-page") {
      asOf(time: $time) {
        existence
      }
    }
  }
`;

export const states = graphql`
  query asOfStatesQuery {
    feature(name: "checkout-one-page") {
      project {
        name
      }
      environments {
        enabled
        strategies {
          name
        }
      }
    }
  }
`;

export const seen = graphql`
  query asOfSeenQuery {
    feature(name: "checkout-one-page") {
      project {
        mode
      }
      environments {
        lastSeenAt
        strategies {
          title
        }
      }
    }
  }
`;

export const clone = graphql`
  mutation asOfCloneMutation($input: CloneFeatureInput!) {
    cloneFeature(input: $input) {
      ... on CloneFeaturePayload {
        feature {
          name
        }
      }
      ... on Error {
        message
      }
    }
  }
`;
