/** Keys stand in the order PostgreSQL gives them back, because events repeat what was read from the database. */
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
  /** What it looked like before, oldest first; only the differences. */
  earlier: readonly Partial<Omit<StrategySpec, 'earlier' | 'name'>>[];
};

/** Stands for the name of the feature that the strategy is put on. */
export const OWN_NAME = '{{featureName}}';

type More = Partial<Omit<StrategySpec, 'name' | 'parameters'>>;

const strategy = (name: string, parameters: Record<string, string>, more: More): StrategySpec => ({
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

/** A share of everybody, in per cent; `from` are the shares it had before. */
export const rollout = (
  percent: number,
  {
    from = [],
    stickiness = 'default',
    groupId = OWN_NAME,
    ...more
  }: More & {
    from?: readonly number[];
    stickiness?: string;
    groupId?: string;
  } = {},
): StrategySpec => {
  const parameters = (share: number) => ({ groupId, rollout: String(share), stickiness });
  const earlier = from.map((share) => ({ parameters: parameters(share) }));
  return strategy('flexibleRollout', parameters(percent), { earlier, ...more });
};

export const everybody = (more: More = {}) => strategy('default', {}, more);

const listed =
  (name: string, parameter: string) =>
  (values: string, more: More & { from?: string } = {}) => {
    const { from, ...rest } = more;
    const earlier = from === undefined ? [] : [{ parameters: { [parameter]: from } }];
    return strategy(name, { [parameter]: values }, { earlier, ...rest });
  };

export const users = listed('userWithId', 'userIds');
export const addresses = listed('remoteAddress', 'IPs');
export const hosts = listed('applicationHostname', 'hostNames');
/** The company's own strategy type. */
export const stores = listed('storeLocation', 'stores');

type Twist = { inverted?: boolean; caseInsensitive?: boolean };

/** A constraint on a list of values: IN, NOT_IN, STR_... */
export const among = (
  contextName: string,
  operator: string,
  values: string[],
  { inverted = false, caseInsensitive = false }: Twist = {},
): Constraint => ({ values, inverted, operator, contextName, caseInsensitive });

/** A constraint on one value: NUM_..., DATE_..., SEMVER_... */
export const compared = (
  contextName: string,
  operator: string,
  value: string,
  { inverted = false }: Twist = {},
): Constraint => ({ value, values: [], inverted, operator, contextName, caseInsensitive: false });

export const variant = (
  name: string,
  weight: number,
  { payload, stickiness = 'default', weightType = 'variable' }: Partial<StrategyVariant> = {},
): StrategyVariant => ({ name, weight, ...(payload && { payload }), stickiness, weightType });
