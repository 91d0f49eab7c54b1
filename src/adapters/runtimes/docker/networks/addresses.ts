import type { ContainerInspectInfo } from 'dockerode';
import { AppError } from '../../../../lib/errors.ts';
import { label } from '../../engine/labels.ts';
import type { Address, Runtime, UnitRef } from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';
import type { DockerContext } from '../context.ts';
import type { Generations } from '../units/generations.ts';
import type { Networks } from './networks.ts';

interface Parts {
  generations: Generations;
  networks: Networks;
  /** The container the reverse proxy runs in; undefined: it runs on the host. */
  proxyContainer: string | undefined;
}

/**
 * Addresses of units. From the host: their published ports; from another container: their names and inner ports on the tenant's
 * network.
 */
export function createAddresses(
  context: DockerContext,
  { generations, networks, proxyContainer }: Parts,
): Pick<Runtime, 'address' | 'proxyAddress'> {
  function byName({ tenant, role }: UnitRef, found: ContainerInspectInfo | undefined): Address {
    const port = found?.Config.Labels[label.port];
    if (port === undefined) throw new AppError('not_deployed', `${tenant.slug} is not deployed`);
    return { host: unitName(tenant.slug, role), port: Number(port) };
  }

  return {
    async address(unit, hostPort) {
      const now = async () => (await generations.current(unit)) ?? (await generations.staged(unit));
      if ((await context.managerContainer()) !== undefined) return byName(unit, await now());
      // The tenant may have got another port since the unit started; when the engine does not answer, that one is as good as
      // any.
      return published(await generations.live(unit).catch(() => undefined), hostPort);
    },

    async proxyAddress(unit, hostPort) {
      const next = async () => (await generations.staged(unit)) ?? (await generations.current(unit));
      if (proxyContainer !== undefined) {
        const address = byName(unit, await next());
        await networks.joinProxy(unit.tenant);
        return address;
      }
      if ((await context.managerContainer()) === undefined)
        return published(await next().catch(() => undefined), hostPort);
      throw new AppError(
        'proxy_unavailable',
        'The manager runs in a container, so tenants are only reachable by name on their networks: run the reverse proxy in a ' +
          'container of the same engine, too, and set PROXY_CONTAINER to its name',
      );
    },
  };
}

/** The loopback port that a container was created with. */
function published(found: ContainerInspectInfo | undefined, otherwise: number): Address {
  const bindings = (found?.HostConfig.PortBindings ?? {}) as Record<string, { HostPort: string }[]>;
  const [binding] = Object.values(bindings).flat();
  return { host: '127.0.0.1', port: binding ? Number(binding.HostPort) : otherwise };
}
