import pg from 'pg';

const LIMIT_MS = 1_000;

/** Properties of a `pg` client that its types don't declare. */
type Backend = { processID: number | null; secretKey: number | null; ssl: boolean | object };

type CancelConnection = InstanceType<typeof pg.Connection> & {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

/**
 * Sends the protocol's cancel request on a separate connection, encrypted if the client itself is. Resolves to true
 * once the server has closed that connection, which it does after signalling the backend, so no later statement is hit.
 */
export const sendCancelRequest = (client: pg.Client): Promise<boolean> => {
  const { processID, secretKey, ssl } = client as pg.Client & Backend;
  if (processID === null || secretKey === null) return Promise.resolve(false);

  return new Promise((resolve) => {
    const connection = new pg.Connection({ ssl } as object) as CancelConnection;
    let isSent = false;
    const finish = (isDone: boolean) => {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve(isDone);
    };
    const timer = setTimeout(() => finish(false), LIMIT_MS);
    const send = () => {
      isSent = true;
      connection.cancel(processID, secretKey);
    };

    connection.on('connect', () => (ssl ? connection.requestSsl() : send()));
    connection.on('sslconnect', send);
    connection.on('error', () => finish(false));
    connection.on('end', () => finish(isSent));
    if (client.host.startsWith('/')) connection.connect(`${client.host}/.s.PGSQL.${client.port}`);
    else connection.connect(client.port, client.host);
  });
};
