import { MAX_NAME_TEXT_LENGTH } from '../../domain/text.js';
import { listCost, type PageArgs } from '../connection.js';

export const searchArg = (where: string, example: string) =>
  ({
    type: 'String',
    description: `Case-insensitive text to find in ${where}, such as \`${example}\`. Matched literally, without wildcards. At most ${MAX_NAME_TEXT_LENGTH} characters.`,
  }) as const;

/** A search costs as much as the text of a filter. */
export const searchListCost = ({
  search,
  ...args
}: PageArgs & { search?: string | null | undefined }) =>
  listCost({ ...args, ...(search && { filter: { text: search } }) });
