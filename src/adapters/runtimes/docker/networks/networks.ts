import type { NetworkConnectOptions, NetworkInspectInfo } from 'dockerode';
import { KeyedLock } from '../../../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../../../lib/errors.ts';
import { callDocker, DockerApiError, getOrUndefined, ignoreStatus } from '../../engine/client/errors.ts';
import { isOf, labelFilter, tenantLabels } from '../../engine/labels.ts';
import { networkName } from '../../engine/names.ts';
import { freeSubnet, routedSubnets } from '../../engine/network-plan.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';
import { hostRoutes } from './host-routes.ts';

/** How many subnets to try when another manager on the same engine takes the same one at the same time. */
const maxTries = 5;

/**
 * The networks of the tenants, one each: a tenant's containers reach only each other. Only the manager's and the reverse
 * proxy's containers are connected to all networks, and neither forwards packets.
 */
export class Networks {
  readonly #context: DockerContext;
  readonly #pool: string;
  readonly #proxy: string | undefined;
  readonly #lock = new KeyedLock();

  /** @param proxy the name of the container that the reverse proxy runs in, if any */
  constructor(context: DockerContext, pool: string, proxy?: string) {
    this.#context = context;
    this.#pool = pool;
    this.#proxy = proxy;
  }

  /**
   * Creates the tenant's network if it is missing, and connects the manager's own container and the proxy's.
   * @throws Error when the name belongs to another network, or the pool is full
   */
  async ensure(tenant: TenantSpace): Promise<void> {
    // One at a time over all tenants: two must not choose the same subnet.
    const network = await this.#lock.run('create', async () => {
      const found = await this.#find(tenant);
      if (found) return found;
      await this.#create(tenant);
      return this.#find(tenant);
    });
    if (!network) throw new Error(`The network ${networkName(tenant.slug)} has just been removed at the engine`);
    const self = await this.#context.managerContainer();
    if (self) await this.#join(self, network);
    // Units run without a proxy as well; callers that need it use `joinProxy`.
    if (this.#proxy) await this.#tryToJoin(this.#proxy, network);
  }

  /** Connects the manager's own container to all networks of its tenants (it may have been created again since). */
  async joinAll(): Promise<void> {
    const self = await this.#context.managerContainer();
    if (!self) return;
    for (const name of await this.#list({ instance: this.#context.instance })) {
      const network = await this.#inspect(name);
      if (network) await this.#join(self, network);
    }
  }

  /**
   * Connects the proxy's container to the tenant's network.
   * @throws AppError proxy_unavailable when the container is missing or the engine refuses, not_deployed when there is no
   * network
   */
  async joinProxy(tenant: TenantSpace): Promise<void> {
    if (!this.#proxy) return;
    const network = await this.#find(tenant);
    if (!network) throw new AppError('not_deployed', `${tenant.slug} has no network: deploy it first`);
    const joined = await this.#join(this.#proxy, network).catch((error: unknown) => {
      throw error instanceof DockerApiError ? proxyKeptOut(this.#proxy, network.Name, error) : error;
    });
    if (!joined) throw noSuchProxy(this.#proxy);
  }

  /** Connects the proxy's container to all tenants' networks, or to some when the signal is aborted. Logs a missing container. */
  async joinProxyToAll(signal: AbortSignal): Promise<void> {
    if (!this.#proxy) return;
    for (const name of await this.#list({ instance: this.#context.instance })) {
      if (signal.aborted) return;
      const network = await this.#inspect(name);
      if (network && !(await this.#tryToJoin(this.#proxy, network))) return;
    }
  }

  /** Removes the tenant's network, which must have no containers. */
  async remove(tenant: TenantSpace): Promise<void> {
    const guests = [await this.#context.managerContainer(), this.#proxy];
    for (const name of await this.#list({ instance: this.#context.instance, tenant: tenant.id })) {
      const network = this.#context.dockerWithTimeout.getNetwork(name);
      // The engine refuses when it is not connected: 403 or 404 by its version, 500 by older ones. A stopped container is
      // disconnected, too: it could not start again in a missing network.
      for (const container of guests)
        if (container)
          await ignoreStatus([403, 404, 500], () => network.disconnect({ Container: container, Force: true }));
      await ignoreStatus([404], () => network.remove());
    }
  }

  /** The IPv4 ranges of the engine's default network. */
  async ofBuilds(): Promise<string[]> {
    const found = await this.#inspect('bridge');
    return (found?.IPAM?.Config ?? []).flatMap(({ Subnet: range = '' }) => (range.includes('.') ? range : []));
  }

  async #inspect(name: string): Promise<NetworkInspectInfo | undefined> {
    const found = await getOrUndefined(
      () => this.#context.dockerWithTimeout.getNetwork(name).inspect() as Promise<NetworkInspectInfo>,
    );
    // The engine also accepts the beginning of an id as a name.
    return found?.Name === name ? found : undefined;
  }

  async #find(tenant: TenantSpace): Promise<NetworkInspectInfo | undefined> {
    const name = networkName(tenant.slug);
    const found = await this.#inspect(name);
    if (!found || isOf(this.#context.instance, tenant, found.Labels)) return found;
    throw new Error(`A network named ${name} exists at the engine and is not this tenant's; remove it, then try again`);
  }

  async #create(tenant: TenantSpace): Promise<void> {
    const skip = new Set<string>();
    const routed = routedSubnets(await hostRoutes(this.#context, tenant), this.#pool);
    for (let tries = 1; ; tries += 1) {
      const inUse = [...(await this.#subnetsInUse()), ...routed];
      const subnet = freeSubnet(this.#pool, inUse, skip);
      try {
        await callDocker(() =>
          this.#context.dockerWithTimeout.createNetwork({
            Name: networkName(tenant.slug),
            Driver: 'bridge',
            CheckDuplicate: true,
            Labels: tenantLabels(this.#context.instance, tenant),
            IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
          }),
        );
        return;
      } catch (error) {
        // The subnet was taken since it was listed, or is used outside of the engine.
        if (!(error instanceof DockerApiError) || tries === maxTries) throw error;
        skip.add(subnet);
      }
    }
  }

  async #subnetsInUse(): Promise<string[]> {
    const networks = await callDocker(() => this.#context.dockerWithTimeout.listNetworks());
    return networks.flatMap((network) => network.IPAM?.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []);
  }

  async #list(wanted: { instance: string; tenant?: string }): Promise<string[]> {
    const networks = await callDocker(() =>
      // Overlay networks are a Swarm's, of tenants that were moved there.
      this.#context.dockerWithTimeout.listNetworks({ filters: { ...labelFilter(wanted), driver: ['bridge'] } }),
    );
    return networks.map((network) => network.Name);
  }

  /** Returns whether the container and the network exist. */
  async #join(container: string, network: NetworkInspectInfo): Promise<boolean> {
    if (isMember(network, container)) return true;
    // A container's default route and its published ports must not move to a tenant's network. Engines before 28 know no such
    // priority and use the networks' names; see compose.yaml.
    const options: NetworkConnectOptions & { EndpointConfig: { GwPriority: number } } = {
      Container: container,
      EndpointConfig: { GwPriority: -1 },
    };
    try {
      const connected = async () => {
        await this.#context.dockerWithTimeout.getNetwork(network.Id).connect(options);
        return true;
      };
      return (await getOrUndefined(connected)) ?? false;
    } catch (error) {
      // Refused because it is connected already, by a concurrent call.
      const now = error instanceof DockerApiError ? await this.#inspect(network.Name) : undefined;
      if (now && isMember(now, container)) return true;
      throw error;
    }
  }

  /** Like `#join` for the proxy's container; a failure is logged, not thrown. */
  async #tryToJoin(container: string, network: NetworkInspectInfo): Promise<boolean> {
    try {
      if (await this.#join(container, network)) return true;
      this.#context.logger.warn({ container, network: network.Name }, 'the reverse proxy’s container does not exist');
      return false;
    } catch (error) {
      if (!(error instanceof DockerApiError)) throw error;
      const { message: reason } = error;
      this.#context.logger.warn(
        { container, network: network.Name, reason },
        'the reverse proxy did not join a network',
      );
      return true;
    }
  }
}

/**
 * Whether a running container, given by name or id, is in the network. A stopped one is not listed, and may be connected again.
 */
function isMember(network: NetworkInspectInfo, container: string): boolean {
  const members = Object.entries(network.Containers ?? {});
  return members.some(([id, { Name: name }]) => id === container || name === container);
}

function noSuchProxy(container: string): AppError {
  return new AppError(
    'proxy_unavailable',
    `No container named ${container} is at the engine: start the reverse proxy, or correct PROXY_CONTAINER`,
  );
}

function proxyKeptOut(container: string | undefined, network: string, cause: DockerApiError): AppError {
  const message = `The reverse proxy's container ${container} could not be connected to the network ${network}: ${cause.message}`;
  return new AppError('proxy_unavailable', message, { cause });
}
