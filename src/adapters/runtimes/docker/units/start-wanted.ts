import { messageOf } from '../../../../lib/errors.ts';
import { callDocker, getOrUndefined } from '../../engine/client/errors.ts';
import { label, labelFilter } from '../../engine/labels.ts';
import { unitRoles } from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';
import type { DockerContext } from '../context.ts';
import type { Containers } from './containers.ts';
import { desiredState } from './desired-state.ts';

/**
 * Starts live units and database servers that should run and have ended for good: a restarted engine takes the end of what a
 * killed engine left running for a manual stop, which `unless-stopped` respects.
 */
export async function startWanted(context: DockerContext, containers: Containers): Promise<void> {
  const { dockerWithTimeout, tenantLocks, instance, logger } = context;
  for (const role of [...unitRoles, 'db'] as const) {
    const filters = { ...labelFilter({ instance, role }), status: ['exited'] };
    for (const { Id: id, Names: names, Labels: labels } of await callDocker(() =>
      dockerWithTimeout.listContainers({ filters }),
    )) {
      // Only the plain name is live; staged and kept containers start elsewhere.
      const name = unitName(labels[label.slug] ?? '', role);
      if (!names.includes(`/${name}`)) continue;
      await tenantLocks.run(labels[label.tenant] ?? id, async () => {
        const info = await getOrUndefined(() => dockerWithTimeout.getContainer(id).inspect());
        // Another may have taken its slot while this waited for the lock: this one would block its port.
        if (info?.Name !== `/${name}` || desiredState(info) !== 'running') return;
        logger.info({ unit: name }, 'starting a unit that should run');
        await containers.start(id, name).catch((error: unknown) => {
          logger.warn({ unit: name, reason: messageOf(error) }, 'could not be started');
        });
      });
    }
  }
}
