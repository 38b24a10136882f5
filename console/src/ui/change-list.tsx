import { Fragment } from 'react';

/** One difference, as the graph returns it. */
export type ShownChange = {
  path: string;
  kind: 'ADDED' | 'CHANGED' | 'REMOVED' | 'REORDERED';
  before?: unknown;
  after?: unknown;
};

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** An object that was added or removed as a whole, as one row for each property that has a value. */
const inParts = (change: ShownChange): ShownChange[] => {
  const { path, kind, before, after } = change;
  const value = kind === 'ADDED' ? after : kind === 'REMOVED' ? before : undefined;
  if (!isObject(value)) return [change];
  const parts = Object.entries(value)
    .filter(([, part]) => !isEmpty(part))
    .flatMap(([name, part]) =>
      inParts({ path: path === '' ? name : `${path}.${name}`, kind, before: part, after: part }),
    );
  return parts.length === 0 ? [change] : parts;
};

/** Breaks long paths at their dots. */
const Path = ({ path }: { path: string }) =>
  path.split(/(?<=\.)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same word can occur twice.
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));

type Props = {
  changes: readonly ShownChange[] | null;
  /** Titles of the two columns. */
  sides?: readonly [before: string, after: string];
};

/** Side by side, only what changed. */
export const ChangeList = ({ changes, sides = ['Before', 'After'] }: Props) => {
  if (changes === null) return <p className="quiet">The event does not record what changed.</p>;
  if (changes.length === 0) return <p className="quiet">Nothing changed.</p>;
  const rows = changes.flatMap(inParts);
  const hasBefore = rows.some(({ kind }) => kind !== 'ADDED');
  const hasAfter = rows.some(({ kind }) => kind !== 'REMOVED');
  return (
    <table className="changes">
      <caption>What changed</caption>
      <thead>
        <tr>
          <th scope="col">Property</th>
          {hasBefore ? <th scope="col">{sides[0]}</th> : null}
          {hasAfter ? <th scope="col">{sides[1]}</th> : null}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ path, kind, before, after }) => (
          <tr key={`${kind} ${path}`} data-kind={kind}>
            <th scope="row">{path === '' ? 'All' : <Path path={path} />}</th>
            {hasBefore ? (
              <td className="before">
                <pre>{kind === 'ADDED' ? '' : textOf(before)}</pre>
              </td>
            ) : null}
            {hasAfter ? (
              <td className="after">
                <pre>{kind === 'REMOVED' ? '' : textOf(after)}</pre>
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
