import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { until } from './tenants.ts';

/**
 * Mounts an empty file system of this many KiB at a directory and returns how to unmount it. Without the right to mount
 * it returns `undefined`, and fails in CI.
 */
export async function mountSmallDisk(
  directory: string,
  kib: number,
): Promise<((options?: { lazy: boolean }) => Promise<void>) | undefined> {
  await mkdir(directory, { recursive: true });
  if (spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', directory]).status !== 0) {
    if (process.env.CI === 'true') throw new Error('CI needs the right to mount a file system');
    process.stderr.write(`skipped, a full disk at ${directory}: no right to mount a file system\n`);
    return undefined;
  }
  // A file of an upload that was cut off may still be open for a moment after its request has ended.
  // Lazy: a full disk leaves connections of the store open, which the driver gives up.
  return async ({ lazy } = { lazy: false }) => {
    await until(
      async () => spawnSync('/bin/umount', [...(lazy ? ['--lazy'] : []), directory]).status,
      (status) => status === 0,
    );
  };
}
