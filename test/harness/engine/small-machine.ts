import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { until } from '../data/tenants.ts';

const root = '/sys/fs/cgroup';

/** A control group with a share of one processor, in percent. Needs root. */
export async function makeSmallMachine(percent: number) {
  const isUnified = existsSync(`${root}/cgroup.controllers`);
  const group = `${root}${isUnified ? '' : '/cpu'}/tenantry-small-${process.pid}`;
  if (isUnified) await writeFile(`${root}/cgroup.subtree_control`, '+cpu');
  await mkdir(group);
  const period = 100_000;
  const quota = (period * percent) / 100;
  if (isUnified) await writeFile(`${group}/cpu.max`, `${quota} ${period}`);
  else await writeFile(`${group}/cpu.cfs_quota_us`, String(quota));
  return {
    /** The arguments of a program that runs another one, and its children, in the group. */
    inside: (program: readonly string[]) => [
      'bash',
      '-c',
      'echo $$ >"$0/cgroup.procs" && exec "$@"',
      group,
      ...program,
    ],
    /** Once its last process has ended. */
    remove: () =>
      until(
        () =>
          rmdir(group).then(
            () => true,
            () => false,
          ),
        (removed) => removed,
      ),
  };
}
