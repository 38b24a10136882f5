// Loaded into a process by NODE_OPTIONS: its last words tell how much memory it has held at most, in kilobytes.
process.on('exit', () => {
  process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`);
});
