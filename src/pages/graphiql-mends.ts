const STACK_SHOWN = /(\{message:(\w+)\.message),stack:\2\.stack\}/;

/** Without the twenty lines of its own code that GraphiQL shows below a syntax error. */
export const withoutStacks = (script: string): string => script.replace(STACK_SHOWN, '$1}');

/** Offers fields in the order of the graph: the editor compares their places as texts, 10 before 2. */
export const withFieldsInOrder = (worker: string): string =>
  worker.replace('String(index) + field.name', 'String(index).padStart(4, "0") + field.name');
