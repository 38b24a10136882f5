export type Tab = { query: string; variables?: string };

const tab = (query: string, variables?: Record<string, unknown>): Tab => ({
  query,
  ...(variables && { variables: JSON.stringify(variables, null, 2) }),
});

/** The questions people have, one in each tab; the values are of the demo world. The name of the operation is the tab's. */
export const GRAPHIQL_TABS: readonly Tab[] = [
  tab(`# Welcome to flaggraph. Your token goes into the box above.
#
# Ctrl-Enter   runs the query
# Ctrl-Space   shows what could come next
# The book     explains every type and field
#
# Each tab is a question people have; put in your own names.
query Welcome {
  viewer {
    name
    isAdmin
  }
  projects(first: 5) {
    nodes {
      id
      name
    }
  }
  events(first: 5) {
    totalCount
    nodes {
      id
      createdAt
      label
      summary
    }
  }
}
`),
  tab(
    `# When was the feature on, who switched it, and by which event?
query WhoTurnedThisOn($feature: String!, $environment: String!) {
  feature(name: $feature) {
    name
    enabled(environment: $environment)
    timeline(environment: $environment) {
      state
      from
      to
      startedBy {
        id
        createdBy
        createdAt
        summary
      }
    }
  }
}
`,
    { feature: 'yearly-survey', environment: 'production' },
  ),
  tab(
    `# How do deliveries go, which failed last,
# and would this event have been sent at all? It needs ADMIN.
query WhyDidTheWebhookNotFire($integration: Int!, $event: Int!) {
  integration(id: $integration) {
    provider
    enabled
    stats {
      since
      deliveries
      failed
      commonestFailure {
        stateDetails
        count
      }
    }
    events(first: 3, filter: { state: { is: "failed" } }) {
      nodes {
        createdAt
        stateDetails
        event {
          typeName
          featureName
        }
      }
    }
    explain(eventId: $event) {
      wouldBeSent
      reasons {
        code
        message
      }
      delivery {
        state
        stateDetails
      }
    }
  }
}
`,
    { integration: 2, event: 2236 },
  ),
  tab(
    `# Features there is a reason to remove, the clearest cases first.
query WhatCanWeDelete($first: Int!) {
  cleanUp(first: $first) {
    totalCount
    nodes {
      feature {
        name
        projectId
      }
      reasons {
        kind
        since
        explanation
      }
    }
  }
}
`,
    { first: 10 },
  ),
  tab(
    `# Judges a clone and shows what it would write.
# With dryRun nothing is written.
mutation WhatWouldThisCloneCopy($input: CloneFeatureInput!) {
  cloneFeature(input: $input) {
    ... on CloneFeaturePlan {
      wouldSucceed
      projectId
      copy {
        dependencies {
          featureName
        }
        environments {
          name
          strategies {
            name
            parameters
          }
        }
      }
      notCopied {
        aspect
        count
        reason
      }
    }
    ... on Error {
      name
      message
    }
  }
}
`,
    { input: { feature: 'checkout-gift-cards', name: 'checkout-vouchers', dryRun: true } },
  ),
  tab(`# Shows events as they are recorded: run it,
# then change something in another window.
subscription FollowLive {
  events {
    cursor
    node {
      id
      createdAt
      createdBy
      summary
    }
  }
}
`),
];
