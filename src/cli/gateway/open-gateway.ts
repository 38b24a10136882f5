import { CommandRefusedError } from '../on-database.js';

/** A gateway to ask, elsewhere or inside this process; who asks need not know which. */
export type Gateway = {
  /** What operations are sent to. */
  url: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  close: () => Promise<void>;
};

export type GatewayOptions = {
  /** Address of a running gateway; without it the database of the settings is opened. */
  url?: string | undefined;
  token?: string | undefined;
  env: NodeJS.ProcessEnv;
};

const addressOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new CommandRefusedError(
      '--url takes the address of a gateway, such as http://127.0.0.1:4000 or https://flags.example.com/graphql.',
    );
  }
  if (url.username || url.password) {
    throw new CommandRefusedError(
      '--url takes no user name and no password: gateways know tokens. Set FLAGGRAPH_TOKEN.',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/graphql') ? path : `${path}/graphql`;
  return url.href;
};

const tokenOf = ({ token, env }: GatewayOptions): string => {
  const given = (token ?? env['FLAGGRAPH_TOKEN'] ?? '').trim();
  if (given === '') {
    throw new CommandRefusedError(
      'A gateway shows events only to somebody: set FLAGGRAPH_TOKEN to an admin or personal token.',
    );
  }
  if (!/^[!-~]+$/.test(given)) {
    throw new CommandRefusedError('The token holds characters that no token has.');
  }
  return given;
};

const openRemote = (url: string, authorization: string): Gateway => ({
  url,
  fetch: (to, init) =>
    fetch(to, {
      ...init,
      redirect: 'manual',
      headers: { ...(init.headers as Record<string, string>), authorization },
    }),
  close: async () => undefined,
});

/** Checks what a gateway needs, then opens it; nothing is sent yet. */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  if (options.url !== undefined) return openRemote(addressOf(options.url), tokenOf(options));
  if (options.token !== undefined) {
    throw new CommandRefusedError('--token goes with --url; the database itself needs none.');
  }
  // Who asks elsewhere has no use for a database and all that comes with it.
  const { openLocalGateway } = await import('./open-local-gateway.js');
  return openLocalGateway(options.env);
};
