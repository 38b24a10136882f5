import { defineConfig } from 'vite';

const gateway = process.env['GATEWAY'] ?? 'http://127.0.0.1:4000';
// The pages ask their own host; it passes everything on to the gateway, which needs no CORS_ORIGINS then.
const proxy = { '/graphql': gateway };

export default defineConfig({
  server: { proxy },
  preview: { proxy },
  build: {
    rollupOptions: { input: ['index.html', 'apollo/index.html', 'urql/index.html'] },
  },
});
