/** Keys are in the order in which PostgreSQL returns them, because events record what was read from the database. */
export type Constraint = {
  value?: string;
  values: string[];
  inverted: boolean;
  operator: string;
  contextName: string;
  caseInsensitive: boolean;
};

export type StrategyVariant = {
  name: string;
  weight: number;
  payload?: { type: string; value: string };
  stickiness: string;
  weightType: 'variable' | 'fix';
};

export type Variant = StrategyVariant & { overrides?: { values: string[]; contextName: string }[] };

export type StrategySpec = {
  name: string;
  title: string | null;
  disabled: boolean;
  constraints: Constraint[];
  parameters: Record<string, string>;
  variants: StrategyVariant[];
  segments: number[];
  /** Previous versions, oldest first, as differences from the current one. */
  earlier: readonly Partial<Omit<StrategySpec, 'earlier' | 'name'>>[];
};

/** Placeholder for the name of the feature that the strategy belongs to. */
export const FEATURE_NAME_PLACEHOLDER = '{{featureName}}';

type StrategyOptions = Partial<Omit<StrategySpec, 'name' | 'parameters'>>;

const strategy = (
  name: string,
  parameters: Record<string, string>,
  more: StrategyOptions,
): StrategySpec => ({
  name,
  title: null,
  disabled: false,
  constraints: [],
  parameters,
  variants: [],
  segments: [],
  earlier: [],
  ...more,
});

/** Gradual rollout in percent; `from` lists previous percentages. */
export const rollout = (
  percent: number,
  {
    from = [],
    stickiness = 'default',
    groupId = FEATURE_NAME_PLACEHOLDER,
    ...more
  }: StrategyOptions & {
    from?: readonly number[];
    stickiness?: string;
    groupId?: string;
  } = {},
): StrategySpec => {
  const parameters = (share: number) => ({ groupId, rollout: String(share), stickiness });
  const earlier = from.map((share) => ({ parameters: parameters(share) }));
  return strategy('flexibleRollout', parameters(percent), { earlier, ...more });
};

export const defaultStrategy = (more: StrategyOptions = {}) => strategy('default', {}, more);

const listed =
  (name: string, parameter: string) =>
  (values: string, more: StrategyOptions & { from?: string } = {}) => {
    const { from, ...rest } = more;
    const earlier = from === undefined ? [] : [{ parameters: { [parameter]: from } }];
    return strategy(name, { [parameter]: values }, { earlier, ...rest });
  };

export const users = listed('userWithId', 'userIds');
export const addresses = listed('remoteAddress', 'IPs');
export const hosts = listed('applicationHostname', 'hostNames');
/** The company's custom strategy. */
export const stores = listed('storeLocation', 'stores');

type ConstraintOptions = { inverted?: boolean; caseInsensitive?: boolean };

/** Constraint with a list of values: IN, NOT_IN, STR_... */
export const listConstraint = (
  contextName: string,
  operator: string,
  values: string[],
  { inverted = false, caseInsensitive = false }: ConstraintOptions = {},
): Constraint => ({ values, inverted, operator, contextName, caseInsensitive });

/** Constraint with one value: NUM_..., DATE_..., SEMVER_... */
export const valueConstraint = (
  contextName: string,
  operator: string,
  value: string,
  { inverted = false }: ConstraintOptions = {},
): Constraint => ({ value, values: [], inverted, operator, contextName, caseInsensitive: false });

export const variant = (
  name: string,
  weight: number,
  { payload, stickiness = 'default', weightType = 'variable' }: Partial<StrategyVariant> = {},
): StrategyVariant => ({ name, weight, ...(payload && { payload }), stickiness, weightType });
