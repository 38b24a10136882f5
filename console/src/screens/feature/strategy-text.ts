import { listText } from '../../ui/list-text.js';
import { constraintsText, type ShownConstraint } from './constraint-text.js';

export type ShownVariant = { name: string; weight: number };

/** A strategy that is in use, recorded or planned. */
export type ShownStrategy = {
  name: string | null;
  title: string | null;
  disabled: boolean;
  parameters: unknown;
  constraints: readonly ShownConstraint[];
  segmentIds: readonly number[] | null;
  segments: readonly { name: string }[] | null;
  variants: readonly ShownVariant[];
};

const parametersOf = (parameters: unknown): Readonly<Record<string, string>> => {
  if (typeof parameters !== 'object' || parameters === null) return {};
  return Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
};

const itemsOf = (text = ''): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** `users 1001, 1402`, or what no item means. */
const listed = (what: string, text: string | undefined): string => {
  const items = itemsOf(text);
  return items.length === 0 ? `No ${what}` : `${what}: ${items.join(', ')}`;
};

const rolloutText = (percent: string | undefined, stickiness: string | undefined): string => {
  if (percent === '100') return 'All users';
  const share = percent === undefined || percent === '' ? 'An unknown share' : `${percent} %`;
  if (stickiness === 'random') return `${share} of requests, at random`;
  if (stickiness === 'sessionId') return `${share} of sessions`;
  return stickiness === undefined || stickiness === 'default'
    ? `${share} of users`
    : `${share} of users by ${stickiness}`;
};

const customText = (name: string, parameters: Readonly<Record<string, string>>): string => {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  const text = given.map(([key, value]) => `${key} ${value}`);
  return text.length === 0
    ? `Custom strategy ${name}`
    : `Custom strategy ${name} with ${listText(text)}`;
};

const audienceText = ({ name, parameters }: ShownStrategy): string => {
  const values = parametersOf(parameters);
  switch (name) {
    case null:
      return 'A strategy of an unknown type';
    case 'default':
      return 'All users';
    case 'flexibleRollout':
      return rolloutText(values['rollout'], values['stickiness']);
    case 'gradualRolloutUserId':
      return rolloutText(values['percentage'], 'userId');
    case 'gradualRolloutSessionId':
      return rolloutText(values['percentage'], 'sessionId');
    case 'gradualRolloutRandom':
      return rolloutText(values['percentage'], 'random');
    case 'userWithId':
      return listed('Users', values['userIds']);
    case 'remoteAddress':
      return listed('IP addresses', values['IPs']);
    case 'applicationHostname':
      return listed('Hosts', values['hostNames']);
    default:
      return customText(name, values);
  }
};

const segmentsText = ({ segmentIds, segments }: ShownStrategy): string => {
  const names = (segments ?? []).map(({ name }) => name);
  const hidden = (segmentIds ?? []).length - names.length;
  if (hidden > 0) names.push(hidden === 1 ? 'one you cannot see' : `${hidden} you cannot see`);
  if (names.length === 0) return '';
  return `, in ${names.length + Math.max(0, hidden - 1) === 1 ? 'segment' : 'segments'} ${listText(names)}`;
};

/** `50 % of users by userId, in segment nordic-customers, where country is one of NO, SE` */
export const strategyText = (strategy: ShownStrategy): string => {
  const where =
    strategy.constraints.length === 0 ? '' : `, where ${constraintsText(strategy.constraints)}`;
  return `${audienceText(strategy)}${segmentsText(strategy)}${where}`;
};

/** `roomy 50 %, tight 50 %`. Weights are thousandths. */
export const variantsText = (variants: readonly ShownVariant[]): string =>
  listText(variants.map(({ name, weight }) => `${name} ${weight / 10} %`));
