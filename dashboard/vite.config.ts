import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/**
 * Loads, together with the first script, what it needs at once: the routes, and the font of all texts, as a page that is drawn with
 * another font first is laid out twice.
 */
const preload: Plugin = {
  name: 'preload',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle).flatMap((file) => {
        const href = `/${file}`;
        if (/\/routes-.*\.js$/.test(file))
          return [{ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href } }];
        if (!/inter-latin-wght-normal.*\.woff2$/.test(file)) return [];
        return [{ tag: 'link', attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href } }];
      }),
  },
};

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  plugins: [preload],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // What the Content-Security-Policy allows: files of our own alone.
    assetsInlineLimit: 0,
    // One style sheet for all pages, of 20 kB compressed: more would each be a request and a layout of their own.
    cssCodeSplit: false,
    modulePreload: {
      polyfill: false,
      // A page's chunks import each other soon enough; dozens of links would cost more than they save.
      resolveDependencies: (_chunk, dependencies, { hostType }) => (hostType === 'html' ? dependencies : []),
    },
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      input: join(import.meta.dirname, mode === 'styleguide' ? 'styleguide.html' : 'index.html'),
      output: {
        codeSplitting: {
          groups: [
            // It changes rarely, so that browsers keep it across updates of the dashboard.
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 1 },
            // The rest of what the first page needs is one file: two dozen, shared with later pages in each combination, take a phone four
            // round trips.
            { name: 'first-load', tags: ['$initial'] },
            { name: 'routes', test: /src\/routes\.tsx$/ },
          ],
        },
      },
    },
  },
}));
