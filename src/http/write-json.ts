type Writable = { toJSON: () => unknown };

export const hasToJson = (value: object): value is Writable =>
  'toJSON' in value && typeof value.toJSON === 'function';

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** What JSON.stringify omits from objects and writes as null in arrays. */
export const isOmitted = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol';

/** Text already written, or a value still to be written. */
type Step = { text: string } | { value: unknown };

const stepsInto = (container: object): Step[] => {
  if (Array.isArray(container)) {
    const items = container.flatMap((value, index): Step[] => [
      { text: index === 0 ? '' : ',' },
      { value: isOmitted(value) ? null : value },
    ]);
    return [{ text: '[' }, ...items, { text: ']' }];
  }
  const entries = Object.entries(container).filter(([, value]) => !isOmitted(value));
  const fields = entries.flatMap(([key, value], index): Step[] => [
    { text: `${index === 0 ? '' : ','}${JSON.stringify(key)}:` },
    { value },
  ]);
  return [{ text: '{' }, ...fields, { text: '}' }];
};

/** Iterative, so that any depth works. */
const writeSteps = (root: unknown): string => {
  const pieces: string[] = [];
  const open: Step[] = [{ value: root }];
  for (let step = open.pop(); step; step = open.pop()) {
    if ('text' in step) pieces.push(step.text);
    else if (!isContainer(step.value)) pieces.push(JSON.stringify(step.value));
    else if (hasToJson(step.value)) open.push({ value: step.value.toJSON() });
    else for (const next of stepsInto(step.value).reverse()) open.push(next);
  }
  return pieces.join('');
};

/** Like JSON.stringify, which fails on values nested a few thousand levels deep. */
export const writeJson = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return writeSteps(value);
  }
};
