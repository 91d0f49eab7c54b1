import type { LiveRelease, Tenant } from '../../tenants/tenant.ts';
import type { DeploymentDependencies, Work } from '../dependencies.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import { releaseOf } from '../plan.ts';
import { chooseTarget, type Wanted } from '../target.ts';

/** Work that keeps what was copied in its record. */
interface CopyContext extends Work {
  save(copied: { release: LiveRelease; manifest: Manifest }): Promise<void>;
}

/** Versions' files on our disk: brought here when deployed, removed when no tenant needs them. */
export interface ReleaseCopies {
  /** Finds what is wanted, brings its files here, reads its manifest and saves all three. */
  copy(tenant: Tenant, wanted: Wanted, context: CopyContext): Promise<void>;
  /** Does work with files that stand in no record (yet): none are removed meanwhile. */
  keeping<T>(work: () => Promise<T>): Promise<T>;
  /** Removes releases and checkouts that nothing runs, may go back to, or is about to run. Does nothing while files are being copied. */
  collectGarbage(): Promise<string[]>;
  /** Removes the mirrors of repositories that are no tenant's any more. */
  collectMirrors(): Promise<string[]>;
}

export function createReleaseCopies(
  dependencies: Pick<DeploymentDependencies, 'runtime' | 'source' | 'tenants' | 'databases' | 'store' | 'settings'>,
): ReleaseCopies {
  const { runtime, source, tenants, databases, store, settings } = dependencies;
  // A release being copied stands in no record yet: who copies waits for a collection under way, which knows nothing of it.
  let copying = 0;
  let collecting: Promise<string[]> | undefined;

  async function keeping<T>(work: () => Promise<T>): Promise<T> {
    copying += 1;
    try {
      await collecting?.catch(() => undefined);
      return await work();
    } finally {
      copying -= 1;
    }
  }

  async function neededKeys(): Promise<Set<string>> {
    const keys = new Set<string>();
    for await (const { deployed } of tenants.each({ deployedOnly: true })) if (deployed) keys.add(deployed.key);
    // The live one, and as many before it as are kept.
    for (const key of await store.releasesInUse((await settings.releaseRetention()) + 1)) keys.add(key);
    return keys;
  }

  async function collect(): Promise<string[]> {
    const keys = await neededKeys();
    const removed = await runtime.removeReleasesExcept(keys);
    // What the runtime has kept, a unit still runs: after skip_services an older version than the tenant's.
    const isNeeded = async (key: string) => keys.has(key) || (await runtime.hasRelease(key));
    return [...removed, ...(await source.removeCheckoutsExcept(isNeeded))];
  }

  return {
    keeping,

    copy: (tenant, wanted, context) =>
      keeping(async () => {
        const address = await tenants.repositoryOf(tenant.id);
        if (address === null) throw new Error('The tenant has no git_repo');
        const refs = await source.refs(address, context.signal);
        const target = chooseTarget(refs, wanted, tenant.deployed);
        context.log(`Version ${target.label}`);
        const checkout = await source.checkOut(address, target.ref, context);
        context.log(`Commit ${checkout.commit}`);
        const manifest = await readManifest(checkout.directory, runtime.needs);
        const database = databases.choose(manifest.database.engines, tenant.deployed?.database ?? null);
        await context.save({ release: releaseOf(checkout, target, manifest, database), manifest });
      }),

    async collectGarbage() {
      if (copying > 0 || collecting) return [];
      collecting = collect();
      try {
        return await collecting;
      } finally {
        collecting = undefined;
      }
    },

    async collectMirrors() {
      const addresses = new Set<string>();
      for await (const { id, gitRepo } of tenants.each()) {
        if (gitRepo === null) continue;
        // As it is shown, credentials masked, it serves as well where the tenant went meanwhile or its secret can't be opened.
        addresses.add((await tenants.repositoryOf(id).catch(() => null)) ?? gitRepo);
      }
      return source.removeMirrorsExcept(addresses);
    },
  };
}
