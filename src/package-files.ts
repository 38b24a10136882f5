/** URL of a file of this package. `src/` and the bundle in `dist/` are both one level below the package's root. */
export const packageFile = (path: string): URL => new URL(`../${path}`, import.meta.url);
