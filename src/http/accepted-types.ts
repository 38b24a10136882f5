const REFUSED = /;\s*q\s*=\s*0(?:\.0{0,3})?\s*(?:;|$)/i;

/** An Accept header without the media types that it refuses (`q=0`); undefined where none is left. */
export const acceptedTypes = (accept: string | undefined): string | undefined => {
  if (accept === undefined || !/q\s*=\s*0/i.test(accept)) return accept;
  const accepted = accept.split(',').filter((range) => !REFUSED.test(range));
  return accepted.length > 0 ? accepted.join(',').trim() : undefined;
};

/** Whether an Accept header asks for one of these types by name; a range of all types names none. */
export const namesType = (accept: string | undefined, ...types: readonly string[]): boolean =>
  (acceptedTypes(accept) ?? '')
    .toLowerCase()
    .split(',')
    .some((range) => types.includes((range.split(';')[0] ?? '').trim()));
