import { createHash } from 'node:crypto';

/** A value that is built only if no equal one is cached. Equal content keys have equal values. */
export class OnDemand<Value extends object> {
  readonly contentKey: string;
  readonly build: () => Promise<Value>;

  constructor(contentKey: string, build: () => Promise<Value>) {
    this.contentKey = contentKey;
    this.build = build;
  }
}

/** A content key from JSON texts, none of which contains the separator. */
export const contentKeyOf = (texts: Iterable<string | null>): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text ?? '').update('\0');
  return hash.digest('base64');
};
