import { freePort } from '../../../test/testkit/free-port.js';
import { type RoutingProxy, startRoutingProxy } from '../admin-ui/routing-proxy.js';
import { type Gateway, startGateway } from '../gateway.js';
import { startUpstream, type Upstream } from '../upstream.js';

/** Set for both servers, so that the gateway accepts the sessions of Unleash. */
const SECRET = 'console-visits-use-a-secret-of-their-own';
/** Where the gateway is served on the host of Unleash. */
const BASE_PATH = '/console';

/** Unleash at `/` and the gateway below a path, on one host and one database. */
export type Stage = {
  unleash: Upstream;
  proxy: RoutingProxy;
  /** URL of the event log of the console, without a trailing slash. */
  root: string;
  /** Stops the gateway, as a deployment does. */
  stopGateway(): Promise<void>;
  /** Starts it again at the same address. */
  startGateway(): Promise<void>;
  stop(): Promise<void>;
};

export type StageOptions = {
  version: string;
  databaseUrl: string;
  /** Compiled program of the gateway. Default: that of this repository. */
  program?: string | undefined;
};

/** The gateway runs in production mode: the console is on there because sessions are accepted. */
const settingsOf = (port: number, proxyUrl: string) => ({
  NODE_ENV: 'production',
  // It reports its address when it listens.
  LOG_LEVEL: 'info',
  PORT: String(port),
  BASE_PATH,
  UNLEASH_SECRET: SECRET,
  ADMIN_UI_URL: proxyUrl,
});

export const startStage = async ({
  version,
  databaseUrl,
  program,
}: StageOptions): Promise<Stage> => {
  const port = await freePort();
  const unleash = await startUpstream(version, databaseUrl, { env: { UNLEASH_SECRET: SECRET } });
  const proxy = await startRoutingProxy({
    unleash: unleash.url,
    gateway: `http://127.0.0.1:${port}`,
    gatewayPath: BASE_PATH,
  });
  let gateway: Gateway | undefined;
  const start = async () => {
    gateway = await startGateway(databaseUrl, {
      env: settingsOf(port, proxy.url),
      ...(program !== undefined && { program }),
    });
  };
  const stop = async () => {
    await gateway?.stop();
    gateway = undefined;
  };
  await start();
  return {
    unleash,
    proxy,
    root: `${proxy.url}${BASE_PATH}`,
    stopGateway: stop,
    startGateway: start,
    stop: async () => {
      await stop();
      await proxy.close();
      await unleash.stop();
    },
  };
};
