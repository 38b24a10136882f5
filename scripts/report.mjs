/** Reports progress on stderr, which leaves stdout to the command that runs afterwards. */
export const report = (message) => process.stderr.write(`${message}\n`);
