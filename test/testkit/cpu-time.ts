/** The CPU time of a call in milliseconds: unlike elapsed time, it does not depend on other processes. */
export const cpuMsOf = async (call: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
