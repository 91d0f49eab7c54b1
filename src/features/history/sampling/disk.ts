import { runProgram } from '../../../lib/spawn.ts';
import type { Tenant, Tenants } from '../../tenants/tenants.ts';

const timeoutMs = 120_000;
/** Directories in one run of `du`: the length of a command line is limited. */
const atOnce = 200;

/** Measures the directories of all deployed tenants with the host's `du`, in bytes. */
export async function measureDirectories(
  tenants: Pick<Tenants, 'each'>,
  onBytes: (tenant: Tenant, bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let batch = new Map<string, Tenant>();
  const measure = async (): Promise<void> => {
    const known = batch;
    batch = new Map();
    if (known.size === 0) return;
    await runProgram('du', ['-s', '-k', '-x', '--', ...known.keys()], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeoutMs,
      signal,
      onLine(line) {
        const [, kilobytes, directory = ''] = /^(\d+)\t(.+)$/.exec(line) ?? [];
        const tenant = known.get(directory);
        if (tenant) onBytes(tenant, Number(kilobytes) * 1024);
      },
    });
  };
  for await (const tenant of tenants.each({ deployedOnly: true })) {
    batch.set(tenant.directory, tenant);
    if (batch.size === atOnce) await measure();
  }
  await measure();
}
