import { useIsConnected } from '../api/connection.js';

/** Covers the lower edge, so that nothing moves when it appears. */
export const OfflineNotice = () => {
  const isConnected = useIsConnected();
  return (
    <div role="status">
      {isConnected ? null : (
        <p className="offline">
          <strong>No connection to the gateway.</strong> You see what was loaded before. The page
          reconnects by itself.
        </p>
      )}
    </div>
  );
};
