import { join } from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // What the Content-Security-Policy allows: files of our own alone.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // A page's chunks import each other soon enough; dozens of links would cost more than they save. Style sheets must come first.
      resolveDependencies: (_chunk, dependencies, { hostType }) =>
        hostType === 'html' ? dependencies : dependencies.filter((path) => path.endsWith('.css')),
    },
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      input: join(import.meta.dirname, mode === 'styleguide' ? 'styleguide.html' : 'index.html'),
      // What the first page needs is one file: two dozen, shared with later pages in each combination, take a phone four round trips.
      output: { codeSplitting: { groups: [{ name: 'first-load', tags: ['$initial'] }] } },
    },
  },
}));
