import { nextSort, readSort, type Sorts, writeSort } from './sort.js';

type Props<Field extends string> = {
  label: string;
  field: Field;
  sorts: Sorts<Field>;
  /** The current order, as in the URL. */
  sort: string;
  onSort: (sort: string) => void;
};

/** A column header that sorts its table. */
export const SortHeader = <Field extends string>({
  label,
  field,
  sorts,
  sort,
  onSort,
}: Props<Field>) => {
  const current = readSort(sort, sorts);
  const isCurrent = current.field === field;
  const isAscending = current.direction === 'ASC';
  const order = isAscending ? 'ascending' : 'descending';
  const sign = isAscending ? '▲' : '▼';
  return (
    <th scope="col" aria-sort={isCurrent ? order : undefined}>
      <button
        type="button"
        className="sort"
        onClick={() => onSort(writeSort(nextSort(field, current, sorts)))}
      >
        {label}
        <span aria-hidden="true" className="sort-sign">
          {isCurrent ? sign : '↕'}
        </span>
      </button>
    </th>
  );
};
