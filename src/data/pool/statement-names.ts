import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A statement gets a name when it was sent this often, */
const MIN_SENT = 10;
/** as long as others leave room: each connection keeps every named statement, in about 30 KB. */
const MAX_NAMES = 64;
const MAX_CANDIDATES = 500;
/** Shorter texts, such as those that begin and end transactions, are parsed as fast as they are found by name. */
const MIN_LENGTH = 100;
/** Longer texts have lists that are rarely repeated. */
const MAX_LENGTH = 8_192;
const UNNAMED = '';

/**
 * Names of prepared statements. PostgreSQL parses a named statement once per connection. It still plans it for the
 * values of each execution, because the best plan for a rare value can be the worst one for a frequent one.
 */
export const createStatementNames = (): ((sql: string) => string) => {
  const names = new Map<string, string>();
  const candidates = new LRUCache<string, number>({ max: MAX_CANDIDATES });
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const isNameable = sql.length >= MIN_LENGTH && sql.length <= MAX_LENGTH;
    if (!isNameable || names.size >= MAX_NAMES) return UNNAMED;
    const sent = (candidates.get(sql) ?? 0) + 1;
    if (sent < MIN_SENT) {
      candidates.set(sql, sent);
      return UNNAMED;
    }
    candidates.delete(sql);
    const name = `flaggraph_${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`;
    names.set(sql, name);
    return name;
  };
};
