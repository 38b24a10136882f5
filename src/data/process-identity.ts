import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Tells one process from every other, also from a later one that was given the same number. */
export type ProcessIdentity = {
  pid: number;
  /** When it began, as the operating system tells it; null where it does not. */
  startedAt: string | null;
  host: string;
  /** The space the number counts in: containers on one host number their processes apart. */
  namespace: string | null;
};

export const currentProcess = (): ProcessIdentity => ({
  pid: process.pid,
  startedAt: startOf(process.pid),
  host: hostname(),
  namespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
});

/** Whether this process could see the other one at all. */
export const isVisible = (other: ProcessIdentity): boolean => {
  const { host, namespace } = currentProcess();
  return other.host === host && other.namespace === namespace;
};

/** Whether a visible process is still there. */
export const isRunning = ({ pid, startedAt }: ProcessIdentity): boolean => {
  if (!exists(pid)) return false;
  const start = startOf(pid);
  return start === null || startedAt === null || start === startedAt;
};

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other refusal, such as EPERM, comes from a process that is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
};

const startOf = (pid: number): string | null => {
  if (process.platform === 'win32') return null;
  if (process.platform !== 'linux') {
    return attempt(() =>
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim(),
    );
  }
  return attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may hold anything, so fields are counted from its end; the 22nd is the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return 'ended';
    // Counted since boot, so it needs to know which boot.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  });
};

const attempt = <Result>(read: () => Result): Result | null => {
  try {
    return read();
  } catch {
    return null;
  }
};
