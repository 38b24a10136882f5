const LENGTH_DELIMITED = 2;
const FIXED_64 = 1;
const FIXED_32 = 5;

const readVarint = (bytes: Buffer, start: number): { value: number; end: number } => {
  let value = 0;
  let end = start;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes.readUInt8(end);
    end += 1;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end };
  }
};

/** The length-delimited fields of a message with this number: strings, bytes and messages. */
export const fieldsOf = (bytes: Buffer, number: number): Buffer[] => {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const kind = tag.value % 8;
    at = tag.end;
    if (kind === FIXED_64) at += 8;
    else if (kind === FIXED_32) at += 4;
    else {
      const { value, end } = readVarint(bytes, at);
      at = end;
      if (kind !== LENGTH_DELIMITED) continue;
      if (Math.floor(tag.value / 8) === number) found.push(bytes.subarray(at, at + value));
      at += value;
    }
  }
  return found;
};
