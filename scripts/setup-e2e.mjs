// Installs what the end-to-end tests need besides the packages of the clone: their own packages, and programs.
import { installClient } from './client.mjs';
import { buildConsole } from './console.mjs';
import { buildDocs } from './docs.mjs';
import { installBrowser } from './install-browser.mjs';
import { installFolder } from './install-folder.mjs';
import { installPrograms } from './install-programs.mjs';

const FOLDERS = ['examples', 'test/e2e/clients', 'test/e2e/federation'];
const PROGRAMS = ['caddy', 'curl', 'fish', 'go', 'nginx', 'openssl', 'pgbouncer', 'python3', 'zsh'];

for (const folder of FOLDERS) installFolder(folder);
installClient('test/e2e/clients');
installPrograms(PROGRAMS);
installBrowser();
await buildConsole();
buildDocs();
