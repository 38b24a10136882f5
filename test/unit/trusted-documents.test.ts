import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config.js';
import { schema } from '../../src/graphql/schema/index.js';
import { loadTrustedDocuments } from '../../src/graphql/trusted-documents/trusted-documents.js';
import { folderOf, recordedFolder } from '../testkit/documents-folder.js';

const hash = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('hex');

const load = (folder: string) => loadTrustedDocuments(schema, { folder, only: false });

const problemsOf = (files: Readonly<Record<string, unknown>>): readonly string[] => {
  try {
    load(folderOf(files));
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const VIEWER = 'query WhoAmI {\n  viewer {\n    name\n  }\n}';

describe('a folder of trusted documents', () => {
  test('identifies a file by the hash of its text, the hash of its printed text, and its name', () => {
    const text = `# who calls\nquery WhoAmI { viewer { name } }\n`;
    const documents = load(folderOf({ 'deep/below/who.graphql': text }));
    for (const id of [hash('sha256', text), `sha256:${hash('sha256', VIEWER)}`, 'WhoAmI']) {
      expect(documents.find(id)?.text).toBe(text);
    }
    for (const id of ['whoami', hash('sha1', text), 'sha256:WhoAmI', '', '__proto__']) {
      expect(documents.find(id)).toBeUndefined();
    }
  });

  test('identifies each operation of a file separately, with the fragments it needs', () => {
    const documents = load(
      folderOf({
        'all.gql': `query A { viewer { ...name } } query B { viewer { kind } } fragment name on Viewer { name }`,
      }),
    );
    expect(documents.find('A')?.text).toContain('fragment name');
    expect(documents.find('B')?.text).toBe('query B {\n  viewer {\n    kind\n  }\n}');
    expect(documents.find(hash('sha256', documents.find('B')?.text ?? ''))).toBe(
      documents.find('B'),
    );
  });

  test.each([
    ['codegen-sha1', '5073614086eac11ea15ecc01d0db9560a293280a', 'WhoAmI'],
    [
      'codegen-sha256',
      'sha256:72a179616d64c46223d5a7f48886a9020c1a3f1cc85c0efba7248ded69c78154',
      'WhoAmI',
    ],
    ['apollo', 'c791e08dbbd3da2a08163977c38c68a792534ace534ee98bb7fd0c4204860dc0', 'WhoAmI'],
    ['relay', '606cf7bbe62b877fffdb840fec4a3639', 'appWhoAmIQuery'],
  ] as const)('reads the manifest of %s', (tool, id, name) => {
    const documents = load(recordedFolder(tool));
    expect(documents.find(id)?.text).toMatch(/viewer/);
    expect(documents.find(name)).toBe(documents.find(id));
  });

  test('accepts any ID that is not in the form of a hash', () => {
    const documents = load(folderOf({ 'm.json': { 'who-1': VIEWER, deadbeef: VIEWER } }));
    expect(documents.find('who-1')).toBe(documents.find('deadbeef'));
  });

  test('may contain a document twice, and other files and folders', () => {
    const folder = folderOf({
      'a.graphql': VIEWER,
      'b.json': { [hash('md5', VIEWER)]: VIEWER },
      'index.ts': 'export {}',
      '.hidden/c.graphql': 'nonsense',
    });
    const documents = load(folder);
    expect(documents.find('WhoAmI')).toBe(documents.find(hash('md5', VIEWER)));
  });

  test('with several errors is rejected with all of them, each with its file', () => {
    const problems = problemsOf({
      'broken.graphql': 'query Broken {\n  viewer {',
      'unknown.graphql': 'query Unknown {\n  viewer { shoeSize }\n}',
      'fragments.graphql': 'fragment unused on Viewer { name }',
      'schema.graphql': 'type Query { a: Int }',
      'deep.graphql': `query Long { ${'viewer { name } '.repeat(2_000)} }`,
      'list.json': [],
      'text.json': '{',
      'numbers.json': { a: 1 },
      'old.json': { format: 'apollo-persisted-query-manifest', version: 2, operations: [] },
      'halves.json': {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: 'x' }, null],
      },
      'md5.json': { [hash('md5', 'another')]: VIEWER },
      'sha1.json': { [hash('sha1', 'another')]: VIEWER },
      'sha256.json': { [`sha256:${hash('sha256', 'another')}`]: VIEWER },
    });
    const expected: [string, RegExp][] = [
      ['broken.graphql', /Syntax Error.*line 2/],
      ['deep.graphql', /tokens/],
      ['fragments.graphql', /never used/],
      ['halves.json', /operation 1 needs/],
      ['halves.json', /operation 2 needs/],
      ['list.json', /not a manifest/],
      ['md5.json', /not the md5 hash of its text/],
      ['numbers.json', /'a' is not a string/],
      ['old.json', /version 1/],
      ['schema.graphql', /not executable/],
      ['sha1.json', /not the sha1 hash of its text/],
      ['sha256.json', /not the sha256 hash of its text/],
      ['text.json', /not a manifest/],
      ['unknown.graphql', /Cannot query field "shoeSize".*line 2/],
    ];
    const sorted = problems.toSorted();
    expect(sorted).toHaveLength(expected.length);
    for (const [index, [file, message]] of expected.entries()) {
      expect(sorted[index]).toContain(`TRUSTED_DOCUMENTS ${file}`);
      expect(sorted[index]).toMatch(message);
    }
  });

  test('is rejected when two different documents share a name or an ID', () => {
    const other = 'query WhoAmI { viewer { kind } }';
    expect(problemsOf({ 'a.graphql': VIEWER, 'b.graphql': other })).toEqual([
      "TRUSTED_DOCUMENTS 'WhoAmI' identifies two different documents, in a.graphql and b.graphql",
    ]);
    const operations = [
      { id: '7', name: 'A', type: 'query', body: 'query A { viewer { name } }' },
      { id: '7', name: 'B', type: 'query', body: 'query B { viewer { name } }' },
    ];
    const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
    expect(problemsOf({ 'm.json': manifest })).toEqual([
      "TRUSTED_DOCUMENTS '7' identifies two different documents, in m.json",
    ]);
  });

  test('identifies two versions of a client only by their hashes when they share a name', () => {
    const operation = (body: string) => ({
      id: hash('sha256', body),
      name: 'WhoAmI',
      type: 'query',
      body,
    });
    const manifest = (body: string) => ({
      format: 'apollo-persisted-query-manifest',
      version: 1,
      operations: [operation(body)],
    });
    const newer = 'query WhoAmI { viewer { kind name } }';
    const documents = load(folderOf({ 'v1.json': manifest(VIEWER), 'v2.json': manifest(newer) }));
    expect(documents.find(hash('sha256', VIEWER))?.text).toBe(VIEWER);
    expect(documents.find(hash('sha256', newer))?.text).toBe(newer);
    expect(documents.find('WhoAmI')).toBeUndefined();
  });

  test('is rejected when it does not exist or is empty', () => {
    expect(problemsOf({})).toEqual([expect.stringMatching(/must be a folder with/)]);
    expect(() => load('/no/such/folder')).toThrow(/TRUSTED_DOCUMENTS must be a folder.*ENOENT/);
    const file = `${folderOf({ 'a.graphql': VIEWER })}/a.graphql`;
    expect(() => load(file)).toThrow(/TRUSTED_DOCUMENTS must be a folder.*ENOTDIR/);
  });
});
