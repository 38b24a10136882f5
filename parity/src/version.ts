/** Whether a version is that one or newer. */
export const isAtLeast = (version: string, wanted: string): boolean =>
  version.localeCompare(wanted, 'en', { numeric: true }) >= 0;
