import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { App } from '../../harness/app/app.ts';
import { type TenantAnswer, until } from '../../harness/data/tenants.ts';

async function commitAt(port: number): Promise<string | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/env`).catch(() => undefined);
  return answer ? ((await answer.json()) as { APP_COMMIT: string }).APP_COMMIT : null;
}

/**
 * Expects both units of a tenant to run a commit (null: no unit), once, and no unfinished work.
 * @param unitsOf asks the runtime without the manager
 */
export async function expectUnits(
  manager: Pick<App, 'call' | 'directory'>,
  tenant: TenantAnswer,
  commit: string | null,
  unitsOf: (slug: string) => Promise<string[]>,
): Promise<void> {
  const names = commit === null ? [] : [`${tenant.slug}-api`, `${tenant.slug}-frontend`];
  await until(
    () => unitsOf(tenant.slug),
    (units) => JSON.stringify(units) === JSON.stringify(names),
  );
  if (commit !== null)
    await until(
      () => commitAt(tenant.backend_port),
      (running) => running === commit,
    );
  else expect(await commitAt(tenant.backend_port)).toBeNull();
  const checkouts = await readdir(join(manager.directory, 'data', 'sources', 'checkouts'));
  expect(checkouts.filter((name) => name.includes('.partial'))).toEqual([]);
  const { body } = await manager.call<{ deployments: { status: string }[] }>(
    'GET',
    `/api/tenants/${tenant.id}/deployments`,
  );
  expect(
    body.deployments.map(({ status }) => status).filter((status) => ['queued', 'running'].includes(status)),
  ).toEqual([]);
}
