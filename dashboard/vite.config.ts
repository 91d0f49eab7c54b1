import { join } from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // What the Content-Security-Policy allows: files of our own alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rollupOptions: { input: join(import.meta.dirname, mode === 'styleguide' ? 'styleguide.html' : 'index.html') },
  },
}));
