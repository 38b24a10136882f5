import { SETTING_NAMES } from '../config/config.js';
import { editDistance } from '../domain/did-you-mean.js';

/** Shorter names resemble variables of other programs. */
const MIN_LENGTH = 8;
const MAX_DISTANCE = 3;

/** A sentence for each environment variable that is almost, but not quite, a setting. */
export const misspelledSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.keys(env)
    .filter((name) => name.length >= MIN_LENGTH && !SETTING_NAMES.includes(name))
    .flatMap((name) => {
      const meant = SETTING_NAMES.filter(
        (setting) =>
          setting.length >= MIN_LENGTH &&
          Math.abs(setting.length - name.length) <= MAX_DISTANCE &&
          editDistance(name, setting) <= MAX_DISTANCE,
      );
      return meant[0] === undefined ? [] : [`${name} is not a setting. Did you mean ${meant[0]}?`];
    });
