// Takes the picture of the README: node scripts/console-picture.mjs <address of a demo gateway>
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './is-stale.mjs';

const { chromium } = createRequire(join(root, 'test/e2e/browser/package.json'))('playwright-core');

const [address = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
const page = await browser.newPage({
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  locale: 'en-US',
});
await page.goto(address);
await page.locator('.live[data-state=open]').waitFor();
await page.locator('.event-row', { hasText: 'rollout from' }).first().getByRole('button').click();
await page.getByRole('heading', { name: 'Not sent to' }).waitFor();
await page.mouse.move(640, 790);
await page.screenshot({ path: join(root, 'docs/public/console.png') });
await browser.close();
