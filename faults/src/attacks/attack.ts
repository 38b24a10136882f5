import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../parity/src/child-process.js';
import type { Scope } from '../scope.js';
import type { AttackName } from './attacks.js';

const PROGRAM = fileURLToPath(new URL('attacker.ts', import.meta.url));

export type AttackOptions = {
  url: string;
  seed: number;
  token?: string;
  /** Total number of requests or sockets, for attacks that have one. */
  count?: number;
  /** Number of concurrent loops or streams. */
  loops?: number;
  /** Size of each document in bytes. */
  bytes?: number;
};

export type AttackResult = {
  /** Responses by status, or by error code. */
  responses: Record<string, number>;
  /** Sockets whose unread response the server has buffered for too long. */
  held?: number;
};

/** Sends requests until the signal aborts. */
export type RunAttack = (options: AttackOptions, signal: AbortSignal) => Promise<AttackResult>;

export type Attack = {
  /** Ends the attack, if it is still running, and returns its result. */
  stop(): Promise<AttackResult>;
  /** Resolves when the attack has ended by itself. */
  ended: Promise<AttackResult>;
};

/** Runs an attack in its own process, so that its work does not delay the honest client. */
export const startAttack = async (
  scope: Scope,
  name: AttackName,
  options: AttackOptions,
): Promise<Attack> => {
  const child = startProcess(
    process.execPath,
    ['--import', 'tsx', PROGRAM, name, JSON.stringify(options)],
    { cwd: fileURLToPath(new URL('../../../', import.meta.url)), env: {} },
  );
  scope.onClose(() => (child.hasEnded() ? undefined : child.kill()));
  const ended = child.ended.then((): AttackResult => {
    const [, json] = /^RESULT (.*)$/m.exec(child.log()) ?? [];
    if (json === undefined) throw new Error(`The attack ${name} failed:\n${child.log()}`);
    return JSON.parse(json);
  });
  ended.catch(() => undefined);
  while (!child.log().includes('STARTED') && !child.hasEnded()) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    ended,
    stop: () => {
      if (!child.hasEnded()) process.kill(child.pid, 'SIGTERM');
      return ended;
    },
  };
};
