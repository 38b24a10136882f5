import { defineConfig } from 'vite';

const gateway = process.env['GATEWAY'] ?? 'http://127.0.0.1:4000';
// The server forwards requests to the gateway, so no CORS_ORIGINS are needed.
const proxy = { '/graphql': gateway };

export default defineConfig({
  server: { proxy },
  preview: { proxy },
  build: {
    rollupOptions: { input: ['index.html', 'apollo/index.html', 'urql/index.html'] },
  },
});
