/** The milliseconds of work a call cost this process: unlike the time that passed, not those of others on the machine. */
export const cpuMsOf = async (call: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
