import { graphiqlTab } from './graphiql-tab.js';

export const WHO_TURNED_IT_ON = graphiqlTab(
  `# When was the feature enabled,
# who toggled it, and by which event?
query WhoTurnedItOn(
  $feature: String!
  $environment: String!
) {
  feature(name: $feature) {
    name
    enabled(environmentName: $environment)
    timeline(environmentName: $environment) {
      state
      from
      before
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
);

export const howWasItSetUp = (time: Date) =>
  graphiqlTab(
    `# How was the feature configured at a time,
# and what happened to it next?
query HowWasItSetUp(
  $feature: String!
  $time: DateTime!
) {
  feature(name: $feature) {
    name
    asOf(time: $time) {
      existence
      archived
      environments {
        environmentName
        state
        strategies {
          name
          parameters
        }
      }
      unknown
      lastEvent {
        id
        createdAt
        summary
      }
      nextEvent {
        id
        createdAt
        summary
      }
    }
  }
}
`,
    { feature: 'checkout-gift-cards', time },
  );

export const WHAT_DID_IT_CHANGE = graphiqlTab(
  `# What did the last event of a type change?
query WhatDidItChange($type: EventType!) {
  events(
    first: 1
    filter: { type: { is: $type } }
  ) {
    nodes {
      id
      nodeId
      createdAt
      createdBy
      summary
      changes {
        path
        kind
        before
        after
      }
    }
  }
}
`,
  { type: 'FEATURE_STRATEGY_UPDATE' },
);

export const whoDidWhat = (from: Date) =>
  graphiqlTab(
    `# How many events since a timestamp,
# by whom, and of which types?
query WhoDidWhat($from: DateTime!) {
  activity(from: $from) {
    count
    byAuthor {
      createdBy
      count
    }
    byType {
      type
      count
    }
    buckets {
      from
      count
    }
  }
}
`,
    { from },
  );

export const FOLLOW_LIVE = graphiqlTab(`# Streams events as they are recorded.
# Keep this tab open: switching stops it.
# Change something in a second BROWSER tab.
#
# The pane lists the last 100 events,
# the newest first.
subscription FollowLive {
  events {
    cursor
    node {
      id
      nodeId
      createdAt
      createdBy
      summary
    }
  }
}
`);
