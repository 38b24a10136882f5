import {
  FOLLOW_LIVE,
  howDidItStand,
  WHAT_DID_IT_CHANGE,
  WHO_TURNED_IT_ON,
  whoDidWhatLastWeek,
} from './graphiql-log-tabs.js';
import { graphiqlTab, type Tab } from './graphiql-tab.js';

const WELCOME = graphiqlTab(`# Welcome to flaggraph.
# Your token goes into the box above.
#
# Ctrl-Enter   runs the query
# Ctrl-Space   shows what could come next
# The book     explains every type and field
#
# Each tab is a question people have;
# put in your own names.
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
`);

const WHY_DID_IT_NOT_FIRE = graphiqlTab(
  `# How do deliveries go, which failed last,
# and would this event have been sent at all?
# It needs an admin token.
query WhyDidItNotFire(
  $integration: Int!
  $event: Int!
) {
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
    events(
      first: 3
      filter: { state: { not: ["success"] } }
    ) {
      nodes {
        createdAt
        state
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
);

const WHAT_CAN_WE_DELETE = graphiqlTab(
  `# Features there is a reason to remove,
# the clearest cases first.
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
);

const WHAT_WOULD_IT_COPY = graphiqlTab(
  `# Judges a clone and shows what it copies.
# With dryRun nothing is written.
mutation WhatWouldItCopy(
  $input: CloneFeatureInput!
) {
  cloneFeature(input: $input) {
    ... on CloneFeaturePlan {
      wouldSucceed
      refusals {
        name
        message
      }
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
  {
    input: {
      feature: 'checkout-gift-cards',
      name: 'checkout-vouchers',
      // As by default; the editor takes what is left out for missing.
      include: [],
      replaceGroupId: true,
      dryRun: true,
    },
  },
);

const DAY_MS = 86_400_000;

/** Midnight, so that the page stays the same for a day. */
const daysBefore = (now: Date, days: number): Date =>
  new Date(Math.floor(now.getTime() / DAY_MS - days) * DAY_MS);

/** The questions people have, one in each tab; the values are of the demo world. The name of the operation is the tab's. */
export const graphiqlTabs = (now: Date): readonly Tab[] => [
  WELCOME,
  WHO_TURNED_IT_ON,
  howDidItStand(daysBefore(now, 30)),
  WHAT_DID_IT_CHANGE,
  whoDidWhatLastWeek(daysBefore(now, 7)),
  WHY_DID_IT_NOT_FIRE,
  WHAT_CAN_WE_DELETE,
  WHAT_WOULD_IT_COPY,
  FOLLOW_LIVE,
];
