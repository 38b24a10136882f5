import { useEffect, useRef } from 'react';

/** Loads more when it becomes visible or is clicked. */
export const More = ({ isLoading, onMore }: { isLoading: boolean; onMore: () => void }) => {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isLoading || !button.current) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) onMore();
    });
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [isLoading, onMore]);
  return (
    <button ref={button} type="button" disabled={isLoading} onClick={onMore}>
      Show more
    </button>
  );
};
