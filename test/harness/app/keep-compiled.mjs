import { flushCompileCache } from 'node:module';

// Node writes what it has compiled when it ends; a manager that is to be killed leaves it to the next one by this.
setTimeout(flushCompileCache, 1_000).unref();
