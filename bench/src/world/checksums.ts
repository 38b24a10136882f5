/** What the databases of the usual sizes hold, by recipe; whoever changes the generator renews them. */
export const CHECKSUMS: Readonly<Record<string, string>> = {
  // 10 thousand, 100 thousand and 1 million events
  '78b33cb9c5235c2d': 'd927dd02c5c3e191',
  '4cbf0de96c53f6aa': 'a08f1b0378d7c419',
  '8c106b3b3b87e071': 'e0b3f857d51961b5',
};
