import { join } from 'node:path';
import { installFolder } from './install-folder.mjs';
import { installDebianPackages, isOnPath, isRootOnDebian, run } from './install-programs.mjs';
import { root } from './is-stale.mjs';
import { report } from './report.mjs';

const FOLDER = 'test/e2e/browser';
const PLAYWRIGHT = join(root, FOLDER, 'node_modules/playwright-core/cli.js');
// The same browser without windows, which needs a quarter less CPU time.
const HEADLESS = 'chromium-headless-shell';
const BROWSERS = [
  HEADLESS,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** Installs Chromium from Debian or with Playwright's installer, unless a browser is installed or CHROMIUM is set. */
export const installBrowser = () => {
  installFolder(FOLDER);
  if (process.env.CHROMIUM || BROWSERS.some(isOnPath)) return;
  if (isRootOnDebian()) return installDebianPackages([HEADLESS]);
  report('Installing Chromium …');
  run(process.execPath, [PLAYWRIGHT, 'install', 'chromium-headless-shell']);
};
