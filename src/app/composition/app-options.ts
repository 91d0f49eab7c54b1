import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { JournalOptions } from './adapters/deployment-engine.ts';
import type { Importing } from './list-imports.ts';
import type { SourceOptions } from './source.ts';

/** What the manager's process knows before its services exist. */
export interface AppOptions extends JournalOptions, SourceOptions {
  store: Store;
  runtime: Runtime;
  /** Where tenants run that have not been moved to `runtime` yet. */
  origin?: Runtime | undefined;
  /** bcrypt's cost, where it is not the usual one (tests). */
  bcryptCost?: number;
  /** How long a deployment waits for its units to be healthy, in ms. */
  healthTimeoutMs?: number;
  /** How lists are imported, where it is not the usual way (tests). */
  importing?: Importing;
}
