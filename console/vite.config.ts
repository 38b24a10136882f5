import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  // The gateway may be served below a path, so files refer to each other relatively. It writes the page itself, from
  // the manifest.
  base: './',
  plugins: [react()],
  resolve: {
    alias: [
      {
        find: /^@flaggraph\/client\/(.*)$/,
        replacement: `${import.meta.dirname}/../client/dist/$1`,
      },
    ],
    dedupe: ['graphql', '@urql/core', 'graphql-sse', 'wonka'],
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    sourcemap: false,
    manifest: 'manifest.json',
    rollupOptions: { input: 'src/main.tsx' },
  },
});
