const STACK_SHOWN = /(\{message:(\w+)\.message),stack:\2\.stack\}/;

/** Removes the twenty lines of stack trace that GraphiQL shows below a syntax error. */
export const withoutStacks = (script: string): string => script.replace(STACK_SHOWN, '$1}');

/** Suggests fields in schema order: the editor compares their positions as strings, 10 before 2. */
export const withFieldsInOrder = (worker: string): string =>
  worker.replace('String(index) + field.name', 'String(index).padStart(4, "0") + field.name');
