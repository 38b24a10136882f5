import { CommandError } from '../command-error.js';

/** A remote gateway, or one inside this process. Callers need not know which. */
export type Gateway = {
  /** URL that operations are sent to. */
  url: string;
  /** Whether it is inside this process. */
  isLocal?: boolean;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  close: () => Promise<void>;
};

export type GatewayOptions = {
  /** URL of a running gateway. Without it, the configured database is opened. */
  url?: string | undefined;
  token?: string | undefined;
  env: NodeJS.ProcessEnv;
};

const addressOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new CommandError(
      '--url must be the address of a gateway, such as http://127.0.0.1:4000 or https://flags.example.com/graphql.',
    );
  }
  if (url.username || url.password) {
    throw new CommandError(
      '--url must not contain a user name or password. Set FLAGGRAPH_TOKEN to a token instead.',
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/graphql') ? path : `${path}/graphql`;
  return url.href;
};

const tokenOf = ({ token, env }: GatewayOptions): string => {
  const secret = (token ?? env['FLAGGRAPH_TOKEN'] ?? '').trim();
  if (secret === '') {
    throw new CommandError(
      'Authentication required: set FLAGGRAPH_TOKEN to an admin or personal token.',
    );
  }
  if (!/^[!-~]+$/.test(secret)) {
    throw new CommandError(
      'The token contains characters that no token has. Check FLAGGRAPH_TOKEN.',
    );
  }
  return secret;
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

/** Validates the options, then opens the gateway. Sends nothing yet. */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  if (options.url !== undefined) return openRemote(addressOf(options.url), tokenOf(options));
  if (options.token !== undefined) {
    throw new CommandError('--token requires --url; the database itself needs no token.');
  }
  // Imported lazily: a remote gateway needs no database and none of its dependencies.
  const { openLocalGateway } = await import('./open-local-gateway.js');
  return openLocalGateway(options.env);
};
