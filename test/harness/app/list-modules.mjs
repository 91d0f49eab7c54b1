import { writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Loaded into a manager: at its end, the addresses of all modules that it has loaded, Node's own
// included, are in the file MODULE_LIST.
if (isMainThread) {
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      loaded.add(url);
      return next(url, context);
    },
  });
  process.on('exit', () => {
    // CommonJS modules that only others of their kind load pass no hook.
    const all = [...loaded, ...Object.keys(createRequire(import.meta.url).cache), ...process.moduleLoadList];
    writeFileSync(process.env.MODULE_LIST, all.join('\n'));
  });
}
