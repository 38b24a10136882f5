import type { Config } from '../config/config.js';

/** Whether the console is served. In production, only where users can sign in to Unleash, unless it is requested. */
export const decideConsole = (
  { console: setting, production }: Pick<Config, 'console' | 'production'>,
  hasSessions: boolean,
): boolean => (setting === undefined ? !production || hasSessions : setting === 'on');
