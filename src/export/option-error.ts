/** An option or parameter is invalid. The message says why, and what to do. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** Options whose names occur in messages, as the user spells them. */
export type OptionNames = Readonly<
  Record<'project' | 'createdBy' | 'from' | 'before' | 'filter', string>
>;

export const COMMAND_OPTIONS: OptionNames = {
  project: '--project',
  createdBy: '--created-by',
  from: '--from (--since)',
  before: '--before',
  filter: '--filter',
};

export const QUERY_PARAMETERS: OptionNames = {
  project: "'project'",
  createdBy: "'created-by'",
  from: "'from'",
  before: "'before'",
  filter: "'filter'",
};
