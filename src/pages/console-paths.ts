/** Paths of the console's screens. The console itself shows a page for objects that do not exist. */
export const CONSOLE_PATHS = [
  '/',
  '/clean-up',
  '/features/:name',
  '/integrations',
  '/integrations/:id',
  '/projects',
  '/projects/:id',
] as const;

const patterns = CONSOLE_PATHS.map((path) => path.replace(/\/$/, '').replace(/:\w+/, '[^/]+'));
const SCREEN = new RegExp(`^(?:${patterns.join('|')})/?$`);

export const isConsolePath = (path: string): boolean => SCREEN.test(path);
