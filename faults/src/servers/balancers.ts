import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/testkit/free-port.js';
import type { Scope } from '../scope.js';
import { scopedFolder, startListening } from './listening.js';

export type Balancer = (scope: Scope, ports: readonly number[]) => Promise<string>;

/** nginx as in the examples: keeps connections to the gateways alive and retries only failed connects. */
export const startNginx: Balancer = async (scope, ports) => {
  const port = await freePort();
  const folder = scopedFolder(scope, 'nginx');
  const file = join(folder, 'nginx.conf');
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  writeFileSync(
    file,
    `worker_processes 1;
daemon off;
error_log stderr;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${folders}
  upstream gateways {
    ${ports.map((gateway) => `server 127.0.0.1:${gateway} max_fails=1 fail_timeout=2s;`).join(' ')}
    keepalive 16;
  }
  map $http_upgrade $connection_upgrade { default ""; websocket upgrade; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`,
  );
  await startListening(scope, {
    command: 'nginx',
    args: ['-p', folder, '-c', file, '-e', 'stderr'],
    folder,
    port,
  });
  return `http://127.0.0.1:${port}`;
};

/** HAProxy with health checks on /readyz. */
export const startHaproxy: Balancer = async (scope, ports) => {
  const port = await freePort();
  const folder = scopedFolder(scope, 'haproxy');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 3s
  retries 3
  option redispatch
frontend clients
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 300ms fall 2 rise 1
${ports.map((gateway, index) => `  server gateway${index} 127.0.0.1:${gateway}`).join('\n')}
`,
  );
  await startListening(scope, { command: 'haproxy', args: ['-db', '-f', file], folder, port });
  return `http://127.0.0.1:${port}`;
};
