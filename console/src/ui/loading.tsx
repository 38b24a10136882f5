/** Takes the place of what is loaded, so that nothing moves when it arrives. */
export const Loading = ({ what, rows = 3 }: { what: string; rows?: number }) => (
  <div className="loading" role="status" aria-label={`Loading ${what}`}>
    {Array.from({ length: rows }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: all rows are the same.
      <span className="loading-row" key={index} />
    ))}
  </div>
);
