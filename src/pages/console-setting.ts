import type { Config } from '../config/config.js';

export type ConsoleDecision = { isOn: true } | { isOn: false; reason: string };

const off = (reason: string): ConsoleDecision => ({ isOn: false, reason });

/** Whether the console is served, with the reason if not. In production, it is on by default only where users can sign in to Unleash. */
export const decideConsole = (
  { console: setting, production }: Pick<Config, 'console' | 'production'>,
  { hasSessions, isBuilt }: { hasSessions: boolean; isBuilt: boolean },
): ConsoleDecision => {
  if (setting === 'off') return off('CONSOLE is off');
  if (setting === undefined && production && !hasSessions) {
    return off('in production it requires sign-in sessions of Unleash, or CONSOLE=on');
  }
  if (!isBuilt) return off('it is not built; run npm run console in the clone');
  return { isOn: true };
};
