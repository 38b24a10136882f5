import {
  FOLLOW_LIVE,
  howWasItSetUp,
  WHAT_DID_IT_CHANGE,
  WHO_TURNED_IT_ON,
  whoDidWhat,
} from './graphiql-log-tabs.js';
import { graphiqlTab, type Tab } from './graphiql-tab.js';

const WELCOME = graphiqlTab(`# Welcome to flaggraph.
# Your token goes into the box above.
#
# Ctrl-Enter   runs the query
# Ctrl-Space   shows suggestions
# Book icon    explains every type and field
#
# Each tab answers a common question.
# Replace the names with yours.
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
  `# How many deliveries failed, and which last?
# Would Unleash send this event at all?
# Requires an admin token.
query WhyDidItNotFire(
  $integration: Int!
  $event: Int!
) {
  integration(id: $integration) {
    provider
    enabled
    stats {
      since
      deliveryCount
      failedCount
      commonestFailure {
        stateDetails
        count
      }
    }
    deliveries(
      first: 3
      filter: { state: { noneOf: [SUCCESS] } }
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
  `# Features that could be removed,
# most important first.
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
  `# Checks a clone and shows what it copies.
# Nothing is written.
query WhatWouldItCopy(
  $input: CloneFeatureInput!
) {
  clonePlan(input: $input) {
    wouldSucceed
    refusals {
      name
      message
    }
    targetProjectId
    copy {
      dependencies {
        featureName
      }
      environments {
        environmentName
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
}
`,
  {
    input: {
      featureName: 'checkout-gift-cards',
      newName: 'checkout-vouchers',
      // The defaults, because the editor reports omitted fields as missing.
      include: [],
      replaceGroupId: true,
    },
  },
);

const DAY_MS = 86_400_000;

/** Midnight, so that the page stays the same for a day. */
const daysBefore = (now: Date, days: number): Date =>
  new Date(Math.floor(now.getTime() / DAY_MS - days) * DAY_MS);

/** Common questions, one per tab, with values of the demo data. The operation name is the tab's title. */
export const graphiqlTabs = (now: Date): readonly Tab[] => [
  WELCOME,
  WHO_TURNED_IT_ON,
  howWasItSetUp(daysBefore(now, 30)),
  WHAT_DID_IT_CHANGE,
  whoDidWhat(daysBefore(now, 7)),
  WHY_DID_IT_NOT_FIRE,
  WHAT_CAN_WE_DELETE,
  WHAT_WOULD_IT_COPY,
  FOLLOW_LIVE,
];
