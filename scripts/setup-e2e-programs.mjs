// Installs the programs and the browser that the end-to-end tests start, and further programs by name.
import { installBrowser } from './install-browser.mjs';
import { installPrograms } from './install-programs.mjs';

const PROGRAMS = ['caddy', 'curl', 'fish', 'go', 'nginx', 'openssl', 'pgbouncer', 'python3', 'zsh'];

installPrograms([...PROGRAMS, ...process.argv.slice(2)]);
installBrowser();
