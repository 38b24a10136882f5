/** The order in which a block lists the lengths of its code-length codes. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** Length and value of the code of each code length that is used. 16 repeats the one before. */
const CODES: Readonly<Record<number, readonly [bits: number, value: number]>> = {
  16: [1, 0],
  4: [3, 4],
  5: [3, 5],
  8: [3, 6],
  9: [3, 7],
};
/** Zlib's header, and the checksum of nothing. */
const [HEADER, CHECKSUM] = [Buffer.from([0x78, 0x9c]), Buffer.from([0, 0, 0, 1])];
/** Larger than a block. */
const MARGIN = 100;

const createBits = () => {
  const bytes: number[] = [];
  let [current, used] = [0, 0];
  const put = (bit: number): void => {
    current |= bit << used;
    used += 1;
    if (used < 8) return;
    bytes.push(current);
    [current, used] = [0, 0];
  };
  return {
    length: () => bytes.length,
    /** Least significant bit first, as numbers are written. */
    number: (value: number, bits: number): void => {
      for (let bit = 0; bit < bits; bit += 1) put((value >> bit) & 1);
    },
    /** Most significant bit first, as codes are written. */
    code: (value: number, bits: number): void => {
      for (let bit = bits - 1; bit >= 0; bit -= 1) put((value >> bit) & 1);
    },
    bytes: () => Buffer.from(used > 0 ? [...bytes, current] : bytes),
  };
};

/** A deflated body without content. Each of its blocks has a large code table, so that it takes long to decompress. */
export const emptyBlocks = (maxBytes: number): Buffer => {
  const bits = createBits();
  const length = (value: number): void => {
    const [size, code] = CODES[value] ?? [0, 0];
    bits.code(code, size);
  };
  const lengths = (value: number, count: number): void => {
    length(value);
    let left = count - 1;
    for (; left >= 3; left -= Math.min(left, 6)) {
      length(16);
      bits.number(Math.min(left, 6) - 3, 2);
    }
    for (; left > 0; left -= 1) length(value);
  };
  const block = (isLast: boolean): void => {
    bits.number(isLast ? 1 : 0, 1);
    bits.number(2, 2);
    bits.number(286 - 257, 5);
    bits.number(30 - 1, 5);
    bits.number(12 - 4, 4);
    for (const symbol of ORDER.slice(0, 12)) bits.number(CODES[symbol]?.[0] ?? 0, 3);
    lengths(8, 226);
    lengths(9, 60);
    lengths(4, 2);
    lengths(5, 28);
    // The end of the block is the 31st of the symbols with nine bits.
    bits.code(2 * 226 + 30, 9);
  };
  while (bits.length() < maxBytes - MARGIN) block(false);
  block(true);
  return Buffer.concat([HEADER, bits.bytes(), CHECKSUM]);
};
