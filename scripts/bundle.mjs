// Bundles the server. Packages in `dependencies` are installed by npm; all others that `src/` imports are bundled,
// because their own version ranges would install 100 MB more, or versions that need a newer Node.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './is-stale.mjs';

const ENTRY_POINTS = {
  main: 'src/main.ts',
  index: 'src/index.ts',
  'embedded-worker': 'src/data/embedded/embedded-worker.js',
};
// CommonJS packages in the bundle call `require` for Node's own modules.
const REQUIRE =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";

/** Names of the packages that npm installs next to the bundle. */
const installedPackages = () => {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return Object.keys({ ...dependencies, ...optionalDependencies });
};

/** Writes the bundle to `dist/` and returns the paths of the bundled files. */
export const bundle = async () => {
  // Imported here, because esbuild is not installed with `npm ci --omit=dev`.
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ENTRY_POINTS,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: installedPackages(),
    banner: { js: REQUIRE },
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
};
