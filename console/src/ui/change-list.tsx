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

/** Breaks long paths at their dots. */
const Path = ({ path }: { path: string }) =>
  path.split(/(?<=\.)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same word can occur twice.
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));

/** Side by side, only what changed. */
export const ChangeList = ({ changes }: { changes: readonly ShownChange[] | null }) => {
  if (changes === null) return <p className="quiet">The event does not record what changed.</p>;
  if (changes.length === 0) return <p className="quiet">Nothing changed.</p>;
  return (
    <table className="changes">
      <caption>What changed</caption>
      <thead>
        <tr>
          <th scope="col">Property</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, kind, before, after }) => (
          <tr key={`${kind} ${path}`} data-kind={kind}>
            <th scope="row">{path === '' ? 'All' : <Path path={path} />}</th>
            <td className="before">
              <pre>{kind === 'ADDED' ? '' : textOf(before)}</pre>
            </td>
            <td className="after">
              <pre>{kind === 'REMOVED' ? '' : textOf(after)}</pre>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};
