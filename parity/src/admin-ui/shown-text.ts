/** Text as a page shows it: every run of white space is one blank. */
export const asShown = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A moment as the pages write it for a reader in the United States and in UTC. */
export const asShownTime = (instant: string): string =>
  asShown(
    new Date(instant).toLocaleString('en-US', {
      day: '2-digit',
      month: '2-digit',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZone: 'UTC',
    }),
  );

/** The words of a text with emphasis, links and escapes, as they read once they are laid out. */
export const withoutMarkup = (text: string): string =>
  asShown(
    text
      .replace(/\[((?:[^[\]\\]|\\.)*)\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, '$1')
      .replace(/(?<!\\)\*\*/g, '')
      .replace(/\\([!-/:-@[-`{-~])/g, '$1'),
  );
