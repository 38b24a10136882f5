import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { buildConsole } from './console.mjs';
import { buildDocs } from './docs.mjs';
import { installBrowser } from './install-browser.mjs';
import { installFolder } from './install-folder.mjs';
import { installPrograms } from './install-programs.mjs';
import { root } from './is-stale.mjs';

/**
 * Runs the tool in a folder such as `bench`: installs its packages and programs, builds the gateway and the console if
 * they are stale, and the documentation if it is missing, then starts `src/main.ts`. `--help` skips all that:
 * `src/help.ts` needs none of it.
 */
export const runTool = async (
  folder,
  {
    hasPackages = true,
    hasBrowser = false,
    hasConsole = false,
    hasDocs = false,
    programs = [],
  } = {},
) => {
  const args = process.argv.slice(2);
  const isHelp = args.includes('--help');
  if (!isHelp) {
    if (hasPackages) installFolder(folder);
    if (hasBrowser) installBrowser();
    installPrograms(programs);
    await buildIfStale();
    if (hasConsole) await buildConsole();
    if (hasDocs && !existsSync(join(root, 'dist/docs'))) buildDocs();
  }

  const tool = spawn(
    process.execPath,
    ['--import', 'tsx', join(root, folder, 'src', isHelp ? 'help.ts' : 'main.ts'), ...args],
    { cwd: root, stdio: 'inherit' },
  );
  // The tool stops its servers first. A terminal sends SIGINT to the tool itself.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => tool.kill('SIGTERM'));
  tool.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
};
