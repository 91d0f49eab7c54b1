import { readdir, readFile } from 'node:fs/promises';

/**
 * The process groups of a tenant by unit: from /proc only.
 * @param directory only those with a path in it in their environment: an engine's containers are here, too
 */
export async function processUnitsOf(slug: string, directory = ''): Promise<string[]> {
  const groups = new Map<string, string>();
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [environment, stat, command] = await Promise.all(
      ['environ', 'stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    );
    if (!environment?.split('\0').includes(`TENANT_SLUG=${slug}`) || !environment.includes(directory)) continue;
    // pid (comm) state ppid pgrp: the name may have blanks and parentheses.
    const [state, , group = ''] = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') continue;
    const role = /server\.js.(\w+)/.exec(command ?? '')?.[1];
    groups.set(group, role ? `${slug}-${role}` : `${slug}: ${command?.replaceAll('\0', ' ')}`);
  }
  return [...groups.values()].sort();
}
