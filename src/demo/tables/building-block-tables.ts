import { CONTEXT_FIELDS, CUSTOM_STRATEGY, SEGMENTS, TAG_TYPE } from '../building-blocks.js';
import type { Clock } from '../clock.js';
import { authorOf } from '../people.js';
import { tagsTable } from './feature-tables.js';
import type { Table } from './table.js';

export const buildingBlockTables = (clock: Clock): Table[] => [
  {
    name: 'tag_types',
    rows: [
      {
        name: TAG_TYPE.name,
        description: TAG_TYPE.description,
        icon: TAG_TYPE.icon,
        created_at: clock.at(TAG_TYPE.created, 590),
      },
    ],
  },
  tagsTable(clock),
  {
    name: 'context_fields',
    rows: CONTEXT_FIELDS.map(({ name, description, legalValues, stickiness, created }, index) => ({
      name,
      description,
      legal_values: legalValues ? [...legalValues] : null,
      stickiness,
      sort_order: 10 + index,
      created_at: clock.at(created, 472),
      updated_at: clock.at(created, 472),
    })),
  },
  {
    name: 'strategies',
    rows: [
      {
        name: CUSTOM_STRATEGY.name,
        description: CUSTOM_STRATEGY.description,
        parameters: [...CUSTOM_STRATEGY.parameters],
        built_in: 0,
        deprecated: false,
        sort_order: 9999,
        created_at: clock.at(CUSTOM_STRATEGY.created, 471),
      },
    ],
  },
  {
    name: 'segments',
    rows: SEGMENTS.map(({ id, name, description, by, created, project, constraints }) => ({
      id,
      name,
      description,
      created_by: authorOf(by).createdBy,
      created_at: clock.at(created, 600 + id),
      constraints,
      segment_project_id: project,
    })),
  },
];
