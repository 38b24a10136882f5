import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './is-stale.mjs';

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENSE = /^licen[cs]e/i;

const describePackage = (folder) => {
  const { name, version, license } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(join(root, folder)).find((entry) => LICENSE.test(entry));
  const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}`.trim();
};

/** Licenses of all packages that the given bundled files belong to. */
export const bundledLicenses = (files) => {
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []));
  const texts = [...folders]
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map(describePackage);
  return `${[...new Set(texts)].sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
};
