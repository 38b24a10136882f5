import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SECTIONS = ['guides', 'frontend', 'reference', 'operations', 'explanation'];
/** The OpenAPI viewer is not a VitePress page. */
const OPENAPI = { text: 'REST API (OpenAPI)', order: 2, link: '/openapi', target: '_self' };
const EXTRA = { reference: [OPENAPI] };
const TITLES = { 'reference/schema': 'Schema' };

const capitalized = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

const frontmatterValue = (text, key) =>
  /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1].match(new RegExp(`^${key}: *(.+)$`, 'm'))?.[1];

const readPage = (root, path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const heading = /^# +(.+)$/m.exec(text)?.[1].replace(/[`*]/g, '');
  if (heading === undefined) throw new Error(`${path} has no heading.`);
  return {
    text: frontmatterValue(text, 'title') ?? heading,
    order: Number(frontmatterValue(text, 'order') ?? 100),
    section: frontmatterValue(text, 'section'),
    link: `/${path.replace(/(index)?\.md$/, '')}`,
  };
};

const listPages = (root, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).filter(
    ({ name }) => name !== 'public' && !name.startsWith('.'),
  );

const byOrder = (a, b) => a.order - b.order || a.text.localeCompare(b.text, 'en');

const withoutOrder = ({ order: _, section: __, ...item }) => item;

/** Pages of a folder by `order` and title; folders in it are groups. */
const itemsOf = (root, folder) => {
  return listPages(root, folder).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return [groupOf(root, path)];
    return entry.name.endsWith('.md') && entry.name !== 'index.md' ? [readPage(root, path)] : [];
  });
};

const groupOf = (root, folder) => {
  const index = readPage(root, `${folder}/index.md`);
  return {
    ...index,
    text: TITLES[folder] ?? index.text,
    collapsed: true,
    items: itemsOf(root, folder).sort(byOrder).map(withoutOrder),
  };
};

/** The sidebar: one group per folder of `docs/`. A page elsewhere names its group as `section`. */
export const sidebarOf = (root) => {
  const loose = listPages(root, '.')
    .filter(({ name }) => name.endsWith('.md') && name !== 'index.md')
    .map(({ name }) => readPage(root, name));
  const others = listPages(root, '.')
    .filter((entry) => entry.isDirectory() && !SECTIONS.includes(entry.name))
    .map(({ name }) => name)
    .sort();
  const groups = [...SECTIONS, ...others].map((name) => ({
    text: capitalized(name),
    link: `/${name}/`,
    items: [
      ...itemsOf(root, name),
      ...loose.filter(({ section }) => section === name),
      ...(EXTRA[name] ?? []),
    ]
      .sort(byOrder)
      .map(withoutOrder),
  }));
  const first = loose.filter(({ section }) => section === undefined).sort(byOrder);
  return [{ text: 'Start', items: first.map(withoutOrder) }, ...groups];
};
