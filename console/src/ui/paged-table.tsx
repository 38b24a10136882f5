import type { ReactNode } from 'react';
import type { Pages } from '../api/use-pages.js';
import { Loading } from './loading.js';
import { ProblemNotice } from './problem-notice.js';
import { ShowMore } from './show-more.js';
import { useRowKeys } from './use-row-keys.js';

type Props<Row> = {
  pages: Pages<Row> & { loadMore: () => void; reload: () => void };
  /** What is being loaded, such as `the projects`. */
  what: string;
  /** Names the table for screen readers. */
  caption: string;
  /** What to say if there are no rows. */
  empty: string;
  /** A sentence above the rows. */
  note?: string;
  className?: string;
  /** The cells of the header. */
  head: ReactNode;
  row: (row: Row) => ReactNode;
};

/** A list that grows by a page at a time, as a table, and its other states. `j` and `k` move between the rows. */
export const PagedTable = <Row,>(props: Props<Row>) => {
  const { pages, what, caption, empty, note, className = 'rows', head, row } = props;
  const { rows, total, isLoading, problem, reload, loadMore } = pages;
  const container = useRowKeys<HTMLDivElement>();
  return (
    <>
      {problem ? <ProblemNotice problem={problem} onRetry={reload} /> : null}
      {total === undefined && !problem ? <Loading what={what} rows={8} /> : null}
      {total === 0 && !problem ? <p className="notice">{empty}</p> : null}
      {rows.length === 0 ? null : (
        <div ref={container} aria-busy={isLoading}>
          {note === undefined ? null : <p className="quiet">{note}</p>}
          <table className={className}>
            <caption className="hidden">{caption}</caption>
            <thead>
              <tr>{head}</tr>
            </thead>
            <tbody>{rows.map(row)}</tbody>
          </table>
        </div>
      )}
      <ShowMore pages={pages} onMore={loadMore} />
    </>
  );
};
