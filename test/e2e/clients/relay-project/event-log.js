import { graphql } from 'relay-runtime';

export const project = graphql`
  fragment eventLog_project on Project
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" })
  @refetchable(queryName: "eventLogPageQuery") {
    name
    events(first: $count, after: $cursor) @connection(key: "eventLog_project_events") {
      edges {
        node {
          id
          summary
          feature {
            name
          }
        }
      }
    }
  }
`;

export const query = graphql`
  query eventLogQuery($project: String!) {
    project(id: $project) {
      ...eventLog_project
    }
  }
`;
