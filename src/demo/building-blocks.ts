import type { Author } from './people.js';
import type { Constraint } from './strategies.js';
import { listConstraint, valueConstraint } from './strategies.js';

export const CONTEXT_FIELDS = [
  {
    name: 'customerTier',
    description: 'What the customer is to us',
    legalValues: [
      { value: 'gold', description: 'More than ten orders a year' },
      { value: 'silver' },
      { value: 'bronze' },
    ],
    stickiness: true,
    created: -90,
  },
  {
    name: 'appVersion',
    description: 'Version of the app, as semantic versioning has it',
    legalValues: null,
    stickiness: false,
    created: -87,
  },
  { name: 'cartValue', description: 'In euro', legalValues: null, stickiness: false, created: -82 },
  {
    name: 'country',
    description: 'Two letters',
    legalValues: [
      { value: 'NO' },
      { value: 'SE' },
      { value: 'DK' },
      { value: 'FI' },
      { value: 'DE' },
      { value: 'JP' },
    ],
    stickiness: false,
    created: -82,
  },
] as const;

export const CUSTOM_STRATEGY = {
  name: 'storeLocation',
  description: 'On in the listed stores only',
  parameters: [{ name: 'stores', type: 'list', required: true, description: 'Store numbers' }],
  created: -80,
} as const;

export const SEGMENT = {
  betaTesters: 1,
  employees: 2,
  nordics: 3,
  goldPayers: 4,
  nobody: 5,
} as const;

export const SEGMENTS: readonly {
  id: number;
  name: string;
  description: string | null;
  by: Author;
  created: number;
  /** Null for a global segment. */
  project: string | null;
  constraints: Constraint[];
}[] = [
  {
    id: SEGMENT.betaTesters,
    name: 'beta-testers',
    description: 'People who asked to see things early',
    by: 'editor',
    created: -89,
    project: null,
    constraints: [listConstraint('userId', 'IN', ['1001', '1007', '1013', '1402'])],
  },
  {
    id: SEGMENT.employees,
    name: 'employees',
    description: 'Ourselves',
    by: 'rootAdmin',
    created: -89,
    project: null,
    constraints: [
      listConstraint('userId', 'STR_ENDS_WITH', ['@harbour-pine.example'], {
        caseInsensitive: true,
      }),
    ],
  },
  {
    id: SEGMENT.nordics,
    name: 'nordic-customers',
    description: null,
    by: 'owner',
    created: -71,
    project: 'web-shop',
    constraints: [listConstraint('country', 'IN', ['NO', 'SE', 'DK', 'FI'])],
  },
  {
    id: SEGMENT.goldPayers,
    name: 'gold-payers',
    description: 'Gold customers with a full cart',
    by: 'owner',
    created: -58,
    project: 'payments',
    constraints: [
      listConstraint('customerTier', 'IN', ['gold']),
      valueConstraint('cartValue', 'NUM_GTE', '100'),
    ],
  },
  {
    id: SEGMENT.nobody,
    name: 'nobody-yet',
    description: '',
    by: 'customRoot',
    created: -16,
    project: null,
    constraints: [],
  },
];

/** The tag type `simple` exists by default. */
export const TAG_TYPE = {
  name: 'team',
  description: 'Who looks after the feature',
  icon: 'T',
  created: -90,
} as const;
