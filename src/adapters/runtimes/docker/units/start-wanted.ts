import { messageOf } from '../../../../lib/errors.ts';
import { unitRoles } from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';
import { callDocker, getOrUndefined } from '../client/errors.ts';
import type { DockerContext } from '../context.ts';
import { label, labelFilter } from '../labels.ts';
import type { Containers } from './containers.ts';
import { desiredState } from './desired-state.ts';

/**
 * Starts live units and database servers that should run and ended for good. An engine that was killed does that to
 * them: the next one ends what it finds running and takes that for a stop by hand, which `unless-stopped` heeds.
 */
export async function startWanted(context: DockerContext, containers: Containers): Promise<void> {
  const { dockerWithTimeout, tenantLocks, instance, logger } = context;
  for (const role of [...unitRoles, 'db'] as const) {
    const filters = { ...labelFilter({ instance, role }), status: ['exited'] };
    for (const { Id: id, Names: names, Labels: labels } of await callDocker(() =>
      dockerWithTimeout.listContainers({ filters }),
    )) {
      // Only what bears the name itself is live; what is staged or kept has its own beginning.
      const name = unitName(labels[label.slug] ?? '', role);
      if (!names.includes(`/${name}`)) continue;
      await tenantLocks.run(labels[label.tenant] ?? id, async () => {
        const info = await getOrUndefined(() => dockerWithTimeout.getContainer(id).inspect());
        // Another may have taken its place while its turn was waited for: it would block that one's port.
        if (info?.Name !== `/${name}` || desiredState(info) !== 'running') return;
        logger.info({ unit: name }, 'starting what should run');
        await containers.start(id, name).catch((error: unknown) => {
          logger.warn({ unit: name, reason: messageOf(error) }, 'could not be started');
        });
      });
    }
  }
}
