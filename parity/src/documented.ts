import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DIFFERENCES } from './differences.js';

const DOCUMENT = fileURLToPath(new URL('../../docs/differences.md', import.meta.url));

/** IDs of all rows of docs/differences.md. */
export const documentedIds = (): string[] =>
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/^\|\s*(D-[A-Z]+-\d+)\s*\|/gm)].flatMap(
    ([, id]) => id ?? [],
  );

const twice = (ids: readonly string[]) => ids.filter((id, index) => ids.indexOf(id) !== index);

/** IDs that are only in docs/differences.md or only in the comparison, as text. */
export const undocumented = (): string[] => {
  const documented = documentedIds();
  const known = DIFFERENCES.map(({ id }) => id);
  return [
    ...documented
      .filter((id) => !known.includes(id))
      .map((id) => `${id} is documented, but not compared`),
    ...known
      .filter((id) => !documented.includes(id))
      .map((id) => `${id} is compared, but not documented`),
    ...[...twice(documented), ...twice(known)].map((id) => `${id} is listed twice`),
  ];
};
