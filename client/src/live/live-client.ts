/** An operation as sent to the gateway. */
export type LiveRequest = {
  query: string;
  operationName?: string;
  variables: Record<string, unknown>;
};

export type LiveResult = {
  data?: unknown;
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[] | undefined;
};

export type LiveSink = {
  /** Called when the gateway has accepted the connection. */
  open: () => void;
  next: (result: LiveResult) => void;
  error: (error: unknown) => void;
  complete: () => void;
};

/** Opens a subscription once, without retries, and returns a function that closes it. */
export type LiveClient = {
  subscribe: (request: LiveRequest, sink: LiveSink) => () => void;
};
