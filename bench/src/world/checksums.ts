/** Checksums of the filled databases, by recipe. Update them when the generator changes. */
export const CHECKSUMS: Readonly<Record<string, string>> = {
  // 10 thousand, 100 thousand, 1 million and 10 million events
  '2cdbec44d5c0e2c5': '3af759d10a34690d',
  '393370a472501028': '7fb21750519c9f97',
  c436b63207bcdc11: '30e4473125d4f869',
  d196b62c87c3235c: '59a68f6ec6f82dbd',
};
