import {
  astFromValue,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  print,
} from 'graphql';
import { subjectOf } from './schema-subjects.mjs';

const KINDS = [
  [isObjectType, 'Object'],
  [isInterfaceType, 'Interface'],
  [isUnionType, 'Union'],
  [isInputObjectType, 'Input object'],
  [isEnumType, 'Enum'],
];

const kindOf = (type) => KINDS.find(([isKind]) => isKind(type))?.[1] ?? 'Scalar';

const cell = (text) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

const linkTo = (type, text = String(type)) => {
  const { name } = getNamedType(type);
  return `[\`${text}\`](./${subjectOf(getNamedType(type)).name}.md#${name})`;
};

const paragraph = (text) => (text ? `${text}\n\n` : '');

const deprecation = ({ deprecationReason }) =>
  deprecationReason === undefined || deprecationReason === null
    ? ''
    : `::: warning Deprecated\n${deprecationReason}\n:::\n\n`;

const shortDeprecation = ({ deprecationReason }) =>
  deprecationReason ? `**Deprecated:** ${deprecationReason} ` : '';

const table = (head, rows) =>
  `| ${head.join(' | ')} |\n|${head.map(() => '---|').join('')}\n${rows
    .map((row) => `| ${row.map(cell).join(' | ')} |\n`)
    .join('')}\n`;

const defaultOf = ({ defaultValue, type }) =>
  defaultValue === undefined ? '' : `\`${print(astFromValue(defaultValue, type))}\``;

const inputRows = (inputs) =>
  inputs.map((input) => [
    `\`${input.name}\``,
    linkTo(input.type),
    defaultOf(input),
    `${shortDeprecation(input)}${input.description ?? ''}`,
  ]);

const argumentsOf = ({ args }) =>
  args.length === 0 ? '' : table(['argument', 'type', 'default', 'description'], inputRows(args));

const field = (owner, it) =>
  `### ${it.name} {#${owner.name}-${it.name}}\n\n${linkTo(it.type)}\n\n` +
  `${deprecation(it)}${paragraph(it.description)}${argumentsOf(it)}`;

const named = (label, types) =>
  types.length === 0 ? '' : `${label} ${types.map((type) => linkTo(type)).join(', ')}.\n\n`;

const bodyOf = (type, schema) => {
  if (isEnumType(type)) {
    const rows = type
      .getValues()
      .map((value) => [
        `\`${value.name}\``,
        `${shortDeprecation(value)}${value.description ?? ''}`,
      ]);
    return table(['value', 'description'], rows);
  }
  if (isUnionType(type)) return named('One of', type.getTypes());
  if (isInputObjectType(type)) {
    const rows = inputRows(Object.values(type.getFields()));
    return table(['field', 'type', 'default', 'description'], rows);
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const implementations = isInterfaceType(type) ? schema.getPossibleTypes(type) : [];
  return (
    named('Implements', type.getInterfaces()) +
    named('Implemented by', implementations) +
    Object.values(type.getFields())
      .map((it) => field(type, it))
      .join('')
  );
};

const oneOfNote = (type) => (type.isOneOf ? 'Exactly one field must be set.\n\n' : '');

/** One type: description, fields or values, with an anchor each. */
export const typeMarkdown = (type, schema) =>
  `## ${type.name.replace(/^_/, '\\_')} {#${type.name}}\n\n_${kindOf(type)}_\n\n` +
  `${paragraph(type.description)}${oneOfNote(type)}${bodyOf(type, schema)}`;
