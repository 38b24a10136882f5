/**
 * Reads the same input once per request: a variable can be the filter of a field of thousands of objects. `now` identifies
 * the request.
 */
export const readOnce = <Input extends object, Result>(
  read: (input: Input, now: Date) => Result,
): ((input: Input, now: Date) => Result) => {
  const requests = new WeakMap<Date, WeakMap<Input, Result>>();
  return (input, now) => {
    const known = requests.get(now) ?? new WeakMap<Input, Result>();
    requests.set(now, known);
    const result = known.get(input) ?? read(input, now);
    known.set(input, result);
    return result;
  };
};
