import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A folder with these files; objects are written as JSON. */
export const makeFolder = (files: Readonly<Record<string, unknown>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), text);
  }
  return folder;
};

/** The same, removed when the test ends. */
export const folderOf = (files: Readonly<Record<string, unknown>>): string => {
  const folder = makeFolder(files);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

/**
 * Output of the tools for two operations, `LatestEvents` and `WhoAmI` (Relay calls them
 * `appLatestEventsQuery` and `appWhoAmIQuery`): client-preset 6.2.0 of GraphQL Code Generator with either of its
 * hashes, generate-persisted-query-manifest 1.4.0 of Apollo, relay-compiler 21.0.1.
 */
export const recordedFolder = (tool: 'codegen-sha1' | 'codegen-sha256' | 'apollo' | 'relay') =>
  fileURLToPath(new URL(`./recorded/trusted-documents/${tool}`, import.meta.url));
