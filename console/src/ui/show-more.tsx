import { Button } from 'react-aria-components';
import type { Pages } from '../api/use-pages.js';

/** How much of a list is shown, and the next page. */
export const ShowMore = ({
  pages: { rows, total, hasMore, isLoading },
  onMore,
}: {
  pages: Pages<unknown>;
  onMore: () => void;
}) => {
  if (!hasMore || total === undefined) return null;
  return (
    <p className="show-more">
      <span role="status">
        Showing {rows.length.toLocaleString()} of {total.toLocaleString()}.
      </span>
      <Button className="button" isPending={isLoading} onPress={onMore}>
        {isLoading ? 'Loading …' : 'Show more'}
      </Button>
    </p>
  );
};
