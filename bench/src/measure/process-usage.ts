import { readFileSync, writeFileSync } from 'node:fs';

const TICK_MS = 10;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** CPU time that a process and its children have used so far, in milliseconds; unknown outside Linux. */
export const cpuMsOfAll = (pid: number): number | undefined => {
  try {
    const times = [pid, ...childrenOf(pid)].map(cpuMsOf);
    return times.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
  } catch {
    return undefined;
  }
};

/** CPU time a process has used so far, in milliseconds; unknown outside Linux. */
export const cpuMsOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces; the fields after it do not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
};

const statusOf = (pid: number, key: string): number | undefined => {
  try {
    const line = new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    );
    return line ? Number(line[1]) / 1024 : undefined;
  } catch {
    return undefined;
  }
};

/** Resident memory of a process in MB. */
export const residentMbOf = (pid: number): number | undefined => statusOf(pid, 'VmRSS');

/** Peak resident memory since the last reset, in MB. */
export const peakMbOf = (pid: number): number | undefined => statusOf(pid, 'VmHWM');

export const resetPeak = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Without a reset, the peak is that of the process lifetime.
  }
};
