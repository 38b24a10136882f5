import type { Command } from 'commander';

const collect = (value: string, earlier: string[] = []): string[] => [...earlier, value];

export const addFilterOptions = (command: Command): Command =>
  command
    .option('--project <project>', 'project ID or name; repeat for several', collect)
    .option('--feature <name>', 'feature name; repeat for several', collect)
    .option('--environment <name>', 'environment name; repeat for several', collect)
    .option(
      '--type <types>',
      'event types, such as feature-created; repeat or separate by commas',
      collect,
    )
    .option('--category <categories>', 'event types by subject, such as feature,project', collect)
    .option(
      '--created-by <user>',
      'author: user ID, or name or email as events record it; admin tokens have the ID -42; repeat for several',
      collect,
    )
    .option(
      '--since, --from <time>',
      'first timestamp: 7d, 24h or 30m before now, 2026-03-01 (UTC) or 2026-03-01T09:30:00Z',
    )
    .option(
      '--before <time>',
      'end, exclusive, in the same forms: --before 2026-04-01 ends with 31 March',
    )
    .option('--text <text>', 'case-insensitive text in data, preData or tags')
    .option('--filter <json>', 'EventFilter of the GraphQL schema as JSON, for other conditions');
