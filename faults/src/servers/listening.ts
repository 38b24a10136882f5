import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerProcess, startProcess, waitFor } from '../../../parity/src/child-process.js';
import type { Scope } from '../scope.js';

const START_LIMIT_MS = 30_000;

const isListening = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(undefined));
  });

/** A temporary folder that is removed with its scope. */
export const scopedFolder = (scope: Scope, name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `flaggraph-faults-${name}-`));
  scope.onClose(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Starts a server in the foreground and waits until its port accepts connections. */
export const startListening = async (
  scope: Scope,
  {
    command,
    args,
    folder,
    port,
  }: { command: string; args: readonly string[]; folder: string; port: number },
): Promise<ServerProcess> => {
  const server = startProcess(command, args, { cwd: folder, env: {} });
  scope.onClose(server.stop);
  await waitFor(server, command, START_LIMIT_MS, () => isListening(port));
  return server;
};
