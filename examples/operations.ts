import { graphql } from './generated/index.js';

export const EventRow = graphql(`
  fragment EventRow on Event {
    id
    createdAt
    label
    createdBy
    featureName
    projectId
    environmentName
  }
`);

export const EventLogQuery = graphql(`
  query EventLog($filter: EventFilter, $after: String) {
    events(first: 20, filter: $filter, after: $after) {
      edges {
        cursor
        node {
          ...EventRow
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const EventTail = graphql(`
  subscription EventTail($filter: EventFilter, $after: String) {
    events(filter: $filter, after: $after) {
      cursor
      node {
        ...EventRow
      }
    }
  }
`);

export const ProjectNamesQuery = graphql(`
  query ProjectNames {
    projects(first: 100) {
      nodes {
        id
        name
      }
    }
  }
`);

export const TimelineQuery = graphql(`
  query Timeline($feature: String!, $environment: String!) {
    feature(name: $feature) {
      name
      timeline(environmentName: $environment) {
        state
        from
        before
        startedBy {
          id
          label
          createdBy
        }
      }
    }
  }
`);

export const CleanUpQuery = graphql(`
  query CleanUp($project: String!) {
    project(id: $project) {
      id
      health {
        score
        cleanUp(first: 10) {
          totalCount
          nodes {
            weight
            feature {
              name
              type
            }
            reasons {
              kind
              explanation
            }
          }
        }
      }
    }
  }
`);

export const ClonePlanQuery = graphql(`
  query ClonePlan($input: CloneFeatureInput!) {
    clonePlan(input: $input) {
      newName
      targetProjectId
      wouldSucceed
      copy {
        environments {
          environmentName
          strategies {
            name
          }
        }
      }
      refusals {
        __typename
        message
      }
      notCopied {
        aspect
        count
      }
    }
  }
`);

export const CloneMutation = graphql(`
  mutation Clone($input: CloneFeatureInput!) {
    cloneFeature(input: $input) {
      __typename
      ... on CloneFeaturePayload {
        feature {
          name
          projectId
        }
      }
      ... on Error {
        message
      }
      ... on NamingPatternError {
        pattern
        example
      }
      ... on NameExistsError {
        archived
      }
    }
  }
`);
