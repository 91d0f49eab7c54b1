import type { Work } from '../../../lib/concurrency/work.ts';
import type { LiveRelease, Tenant } from '../../tenants/tenant.ts';
import { fileName, type Manifest, readManifest } from '../manifest.ts';
import type { DeploymentsDeps } from '../operation.ts';
import { releaseOf } from '../plan.ts';
import type { DeploymentStore } from '../store.ts';
import { chooseTarget, type Wanted } from '../target.ts';

/** Work that saves what was copied in its operation's state. */
interface CopyContext extends Work {
  save(copied: { release: LiveRelease; manifest: Manifest }): Promise<void>;
}

/** Versions' files on the manager's disk: copied when deployed, removed when no tenant needs them. */
export interface ReleaseCopies {
  /** Finds the wanted version, copies its files here, reads its manifest and saves the result. */
  copy(tenant: Tenant, wanted: Wanted, context: CopyContext): Promise<void>;
  /** Protects files that are not in any record yet: no garbage collection runs during the work. */
  keeping<T>(work: () => Promise<T>): Promise<T>;
  /** Removes releases and checkouts that no tenant runs, may roll back to, or is about to run. Does nothing during a copy. */
  collectGarbage(): Promise<string[]>;
  /** Removes mirrors of repositories that no tenant uses. */
  collectMirrors(): Promise<string[]>;
}

export function createReleaseCopies(store: DeploymentStore, deps: DeploymentsDeps): ReleaseCopies {
  const { runtime, source, tenants, chooseDatabase, settings } = deps;
  // A release that is being copied is in no record yet, so copies and garbage collections exclude each other.
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
    // The live release and the retained ones before it.
    for (const key of await store.releasesInUse((await settings.releaseRetention()) + 1)) keys.add(key);
    return keys;
  }

  async function collect(): Promise<string[]> {
    const keys = await neededKeys();
    const removed = await runtime.removeReleasesExcept(keys, { buildCacheBytes: await settings.buildCacheBytes() });
    // The runtime keeps a release that a unit still runs: after skip_services, this may be older than the tenant's.
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
        const keepFreeBytes = await settings.minimumFreeBytes();
        const checkout = await source.checkOut(address, target.ref, {
          signal: context.signal,
          log: (line) => context.log(line),
          keepFreeBytes,
        });
        context.log(`Commit ${checkout.commit}`);
        const manifest = await readManifest(checkout.directory, runtime.needs);
        const longest = await settings.stepTimeoutSeconds();
        if ((manifest.start_timeout ?? 0) > longest)
          throw new Error(
            `${fileName}: start_timeout: must be at most ${longest}, the setting deployment_timeout of this manager`,
          );
        const database = chooseDatabase(manifest.database.engines, tenant.deployed?.database ?? null);
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
        // The masked address is enough if the tenant was deleted in the meantime or its secret can't be decrypted.
        addresses.add((await tenants.repositoryOf(id).catch(() => null)) ?? gitRepo);
      }
      return source.removeMirrorsExcept(addresses);
    },
  };
}
