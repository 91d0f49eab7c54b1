import type { NetworkConnectOptions } from 'dockerode';
import { KeyedLock } from '../../../kernel/locks.ts';
import type { TenantSpace } from '../runtime.ts';
import type { DockerContext } from './context.ts';
import { asking, askingFor, EngineRefusal, unlessRefused } from './errors.ts';
import { isOf, labelFilter, tenantLabels } from './labels.ts';
import { networkName } from './names.ts';
import { freeSubnet } from './network-plan.ts';

/** How many subnets to try when another manager on the same engine takes the same one at the same time. */
const mostTries = 5;

/** The networks of the tenants, one each: a tenant's containers reach each other and nobody else's. */
export class Networks {
  readonly #context: DockerContext;
  readonly #pool: string;
  readonly #lock = new KeyedLock();

  constructor(context: DockerContext, pool: string) {
    this.#context = context;
    this.#pool = pool;
  }

  /**
   * Makes the tenant's network where there is none, and puts the manager's own container into it.
   * @throws Error where another's bears the name, or the pool is full
   */
  async ensure(tenant: TenantSpace): Promise<void> {
    // One at a time over all tenants: two must not choose the same subnet.
    await this.#lock.run('create', async () => {
      if (!(await this.#exists(tenant))) await this.#create(tenant);
    });
    await this.#join(networkName(tenant.slug));
  }

  /** Puts the manager's own container into all networks of its tenants (it may have been made anew since). */
  async joinAll(): Promise<void> {
    for (const network of await this.#list({ instance: this.#context.instance })) await this.#join(network);
  }

  /** Removes the tenant's network; containers must have left it. */
  async remove(tenant: TenantSpace): Promise<void> {
    const self = await this.#context.managerContainer();
    for (const name of await this.#list({ instance: this.#context.instance, tenant: tenant.id })) {
      const network = this.#context.docker.getNetwork(name);
      // Refused where it is not connected: 403 or 404 by the engine's version, 500 by older ones.
      if (self) await unlessRefused([403, 404, 500], () => network.disconnect({ Container: self, Force: true }));
      await unlessRefused([404], () => network.remove());
    }
  }

  async #exists(tenant: TenantSpace): Promise<boolean> {
    const name = networkName(tenant.slug);
    const found = await askingFor(() => this.#context.docker.getNetwork(name).inspect());
    if (!found || found.Name !== name) return false;
    if (isOf(this.#context.instance, tenant, found.Labels)) return true;
    throw new Error(`A network named ${name} exists at the engine and is not this tenant's; remove it, then try again`);
  }

  async #create(tenant: TenantSpace): Promise<void> {
    const skip = new Set<string>();
    for (let tries = 1; ; tries += 1) {
      const subnet = freeSubnet(this.#pool, await this.#subnetsInUse(), skip);
      try {
        await asking(() =>
          this.#context.docker.createNetwork({
            Name: networkName(tenant.slug),
            Driver: 'bridge',
            CheckDuplicate: true,
            Labels: tenantLabels(this.#context.instance, tenant),
            IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
          }),
        );
        return;
      } catch (error) {
        // The subnet was taken since we looked, or something that is no network of the engine holds it.
        if (!(error instanceof EngineRefusal) || tries === mostTries) throw error;
        skip.add(subnet);
      }
    }
  }

  async #subnetsInUse(): Promise<string[]> {
    const networks = await asking(() => this.#context.docker.listNetworks());
    return networks.flatMap((network) => network.IPAM?.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []);
  }

  async #list(wanted: { instance: string; tenant?: string }): Promise<string[]> {
    const networks = await asking(() => this.#context.docker.listNetworks({ filters: labelFilter(wanted) }));
    return networks.map((network) => network.Name);
  }

  async #join(name: string): Promise<void> {
    const self = await this.#context.managerContainer();
    if (!self) return;
    const network = this.#context.docker.getNetwork(name);
    const { Containers: members } = await asking(() => network.inspect());
    if (members?.[self]) return;
    // The way out of the manager's container and its published ports must not move to a tenant's network. Engines before 28
    // know no such priority and go by the networks' names; see compose.yaml.
    const options: NetworkConnectOptions & { EndpointConfig: { GwPriority: number } } = {
      Container: self,
      EndpointConfig: { GwPriority: -1 },
    };
    await asking(() => network.connect(options));
  }
}
