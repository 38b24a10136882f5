declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  type Request = {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
    setupRequest?: (request: Request) => Request;
  };
  type Options = {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    timeout: number;
    sampleInt: number;
    method: string;
    headers: Record<string, string>;
    body?: string;
    requests?: Request[];
    verifyBody: (body: string) => boolean;
  };
  type Result = { errors: number; timeouts: number; non2xx: number; mismatches: number };

  const autocannon: (
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ) => EventEmitter & { stop(): void };
  export default autocannon;
}
