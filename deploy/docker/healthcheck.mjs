// Container health check, because the image has no curl.
const { PORT = '4000', BASE_PATH = '' } = process.env;

try {
  const { status } = await fetch(`http://127.0.0.1:${PORT}${BASE_PATH}/livez`, {
    signal: AbortSignal.timeout(4_000),
  });
  process.exitCode = status === 200 ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
