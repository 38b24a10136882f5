import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies a process, even after its PID is reused. */
export type ProcessIdentity = {
  pid: number;
  /** Start time as reported by the operating system. Null where it is not available. */
  startedAt: string | null;
  host: string;
  /** PID namespace: containers on one host number their processes separately. */
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

/** Whether a visible process is still running. */
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
    // Any other error, such as EPERM, means that the process exists.
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
    // The command in parentheses may contain anything, so count fields from its end; field 22 is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return 'ended';
    // The start time counts from boot, so it includes the boot ID.
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
