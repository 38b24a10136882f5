import { cpus, totalmem } from 'node:os';
import type { ColdStart } from '../cold-start.js';
import type { ConsoleResult } from '../console/console-result.js';
import type { Deployment } from '../deployments.js';
import type { Growth } from '../growth.js';
import type { Interference } from '../interference.js';
import type { CaseResult } from '../measure-case.js';
import type { Memory } from '../memory.js';
import type { Settings } from '../settings.js';

export type Machine = {
  cores: number;
  cpu: string;
  memoryGb: number;
  platform: string;
  node: string;
  postgres: string;
};

export type Results = {
  /** The command that created them. */
  command: string;
  isQuick: boolean;
  machine: Machine;
  settings: Settings;
  cases?: CaseResult[];
  /** The cases with one repeated request each. */
  identical?: CaseResult[];
  interference?: Interference[];
  growth?: Growth[];
  memory?: Memory;
  deployments?: Deployment[];
  coldStarts?: ColdStart[];
  console?: ConsoleResult;
};

export const readMachine = (postgres: string): Machine => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model.trim() || process.arch,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform} ${process.arch}`,
  node: process.version,
  postgres,
});
