import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { OUTPUT, SITE } from './folders.mjs';
import { preparePages } from './prepare-pages.mjs';

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g;

const hashOf = (script) => `sha256-${createHash('sha256').update(script).digest('base64')}`;

/** Hashes of the inline scripts, which the Content-Security-Policy of the gateway names. */
const scriptHashes = () => {
  const pages = readdirSync(OUTPUT, { recursive: true }).filter((name) => name.endsWith('.html'));
  const hashes = pages.flatMap((name) =>
    [...readFileSync(join(OUTPUT, name), 'utf8').matchAll(INLINE_SCRIPT)].map(([, script]) =>
      hashOf(script),
    ),
  );
  return [...new Set(hashes)].sort();
};

preparePages();
await build(SITE);
writeFileSync(join(OUTPUT, 'script-hashes.json'), `${JSON.stringify(scriptHashes(), null, 2)}\n`);
