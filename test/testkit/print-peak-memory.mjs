// Loaded into a process by NODE_OPTIONS: prints its peak memory in kilobytes when it exits.
process.on('exit', () => {
  process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`);
});
