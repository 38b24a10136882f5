declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  type Request = {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
  };
  /** Of one request. */
  type Context = { request?: import('./measure/load.js').BenchRequest };
  type RequestTemplate = {
    setupRequest: (defaults: Request, context: Context) => Request;
    onResponse: (status: number, body: string, context: Context) => void;
  };
  type Options = {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    timeout: number;
    sampleInt: number;
    requests: RequestTemplate[];
  };
  type Result = { errors: number; timeouts: number; non2xx: number };

  const autocannon: (
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ) => EventEmitter & { stop(): void };
  export default autocannon;
}
