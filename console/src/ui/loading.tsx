/** Takes the place of what is loaded, so that nothing moves when it arrives. */
export const Loading = ({ what }: { what: string }) => (
  <div className="loading" role="status" aria-label={`Loading ${what}`}>
    <span className="loading-row" />
    <span className="loading-row" />
    <span className="loading-row" />
  </div>
);
