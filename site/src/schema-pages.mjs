import { buildSchema } from 'graphql';
import { typeMarkdown } from './schema-markdown.mjs';
import { SUBJECTS, subjectOf } from './schema-subjects.mjs';

const INTRO = `---
order: 1
---

# Schema reference

Generated from \`schema.graphql\`: every type, field, argument and value. Anchors are stable:
\`#Feature\` is a type, \`#Feature-name\` a field.

`;

const byName = (a, b) => a.name.replace(/^_+/, '').localeCompare(b.name.replace(/^_+/, ''), 'en');

/** Markdown of the schema reference by file name. */
export const schemaPages = (sdl) => {
  const schema = buildSchema(sdl, { assumeValid: true });
  const types = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .sort(byName);
  const pages = SUBJECTS.map((subject, index) => {
    const own = types.filter((type) => subjectOf(type) === subject);
    const text = `---\norder: ${index + 1}\noutline: 2\npageClass: schema-reference\n---\n\n# ${subject.title}\n\n${subject.intro}\n\n`;
    return { subject, own, text: text + own.map((type) => typeMarkdown(type, schema)).join('') };
  });
  const rows = pages.map(
    ({ subject: { name, title }, own }) =>
      `| [${title}](./${name}.md) | ${own.map((type) => `[${type.name.replace(/^_/, '\\_')}](./${name}.md#${type.name})`).join(', ')} |\n`,
  );
  return new Map([
    ['index.md', `${INTRO}| page | types |\n|---|---|\n${rows.join('')}`],
    ...pages.map(({ subject, text }) => [`${subject.name}.md`, text]),
  ]);
};
