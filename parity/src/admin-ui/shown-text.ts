/** Collapses whitespace, as the browser does. */
export const asShown = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Formats a timestamp as the pages do for en-US and UTC. */
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

/** Removes emphasis, links and escapes, as the rendered text does. */
export const withoutMarkup = (text: string): string =>
  asShown(
    text
      .replace(/\[((?:[^[\]\\]|\\.)*)\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, '$1')
      .replace(/(?<!\\)\*\*/g, '')
      .replace(/\\([!-/:-@[-`{-~])/g, '$1'),
  );
