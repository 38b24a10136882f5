import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../parity/src/child-process.js';
import type { Scope } from '../scope.js';
import type { AttackName } from './attacks.js';

const PROGRAM = fileURLToPath(new URL('attacker.ts', import.meta.url));

export type AttackOptions = {
  url: string;
  seed: number;
  token?: string;
  /** Requests or sockets in total, where the attack counts them. */
  count?: number;
  /** Loops or streams side by side. */
  loops?: number;
  /** Bytes of each document. */
  bytes?: number;
};

export type AttackResult = {
  /** Responses by status, or by error code. */
  responses: Record<string, number>;
  /** Sockets whose large response the server still buffers although they have not read it for long. */
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

/** Runs an attack in a process of its own, so that its work does not delay the honest client. */
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
