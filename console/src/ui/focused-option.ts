/** Whether an option of the list below this input is chosen with the arrow keys. */
export const hasFocusedOption = (input: EventTarget): boolean =>
  input instanceof Element && (input.getAttribute('aria-activedescendant') ?? '') !== '';
