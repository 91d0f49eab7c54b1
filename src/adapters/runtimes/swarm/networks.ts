import type { NetworkInspectInfo } from 'dockerode';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { poll } from '../../../lib/concurrency/poll.ts';
import { backoff, retry } from '../../../lib/concurrency/retry.ts';
import { DockerApiError, ignoreStatus } from '../engine/client/errors.ts';
import { isOf, labelFilter, tenantLabels } from '../engine/labels.ts';
import { overlayName } from '../engine/names.ts';
import { freeSubnet } from '../engine/network-plan.ts';
import type { TenantSpace } from '../runtime.ts';
import type { SwarmContext } from './context.ts';

type Owner = Pick<TenantSpace, 'id' | 'slug'>;

/** How many subnets to try when they look free and are refused. */
const maxTries = 5;
/** Swarm gives a new network its subnet a moment later, and never when another one got it first: its tasks would wait for ever. */
const subnetWithinMs = 10_000;
/** Swarm refuses to remove a network while it still cleans up after its last task. */
const removeWithinMs = 60_000;

/** The tenants' overlay networks, one each: their units reach each other by name on whichever nodes they run. */
export class Networks {
  readonly #context: SwarmContext;
  readonly #pool: string;
  readonly #mtu: number | undefined;
  readonly #lock = new KeyedLock();

  /** @param mtu of the links between nodes, 1,500 by default; the engine takes 50 off it for VXLAN */
  constructor(context: SwarmContext, pool: string, mtu: number | undefined) {
    this.#context = context;
    this.#pool = pool;
    this.#mtu = mtu;
  }

  /**
   * Creates the tenant's network if it is missing. @param attachable also for containers that are not of a service
   * @throws Error when the name belongs to another network, or the pool is full
   */
  async ensure(tenant: Owner, attachable = false): Promise<void> {
    // One at a time over all tenants: two must not choose the same subnet.
    await this.#lock.run('create', async () => {
      if (!(await this.#find(tenant))) return this.#create(tenant, attachable);
      if (await this.#hasSubnet(tenant)) return;
      await this.remove(tenant);
      await this.#create(tenant, attachable);
    });
  }

  /** Removes the tenant's network; the containers of its tasks have ended. */
  async remove(tenant: Owner): Promise<void> {
    const { call, instance } = this.#context;
    // An engine of the swarm may have the network of the Docker runtime, too.
    const filters = { ...labelFilter({ instance, tenant: tenant.id }), driver: ['overlay'] };
    for (const { Id: id } of await call((docker) => docker.listNetworks({ filters })))
      await retry(() => call((docker) => ignoreStatus([404], () => docker.getNetwork(id).remove())), {
        delaysMs: backoff(200, 2_000, removeWithinMs),
        isTransient: (error) => error instanceof DockerApiError,
      });
  }

  async #find(tenant: Owner): Promise<NetworkInspectInfo | undefined> {
    const name = overlayName(tenant.slug);
    const networks = await this.#context.call((docker) => docker.listNetworks({ filters: { name: [name] } }));
    const found = networks.find((network) => network.Name === name);
    if (!found || isOf(this.#context.instance, tenant, found.Labels)) return found;
    throw new Error(`A network named ${name} exists in the swarm and is not this tenant's; remove it, then try again`);
  }

  async #hasSubnet(tenant: Owner): Promise<boolean> {
    const look = async () => (await this.#find(tenant))?.IPAM?.Config?.some(({ Subnet }) => Subnet) || undefined;
    return (await poll(look, { timeoutMs: subnetWithinMs, intervalMs: 50 })) === true;
  }

  async #create(tenant: Owner, attachable: boolean): Promise<void> {
    const { call, instance } = this.#context;
    const skip = new Set<string>();
    for (let tries = 1; ; tries += 1) {
      const networks = await call((docker) => docker.listNetworks());
      const used = networks.flatMap((network) => network.IPAM?.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []);
      const subnet = freeSubnet(this.#pool, used, skip);
      try {
        await call((docker) =>
          docker.createNetwork({
            Name: overlayName(tenant.slug),
            Driver: 'overlay',
            Attachable: attachable,
            CheckDuplicate: true,
            Labels: tenantLabels(instance, tenant),
            IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
            ...(this.#mtu === undefined ? {} : { Options: { 'com.docker.network.driver.mtu': String(this.#mtu) } }),
          }),
        );
      } catch (error) {
        // Unless a try created it whose answer was lost, the subnet is used outside of what is listed.
        if (!(error instanceof DockerApiError) || tries === maxTries) throw error;
      }
      if ((await this.#find(tenant)) && (await this.#hasSubnet(tenant))) return;
      await this.remove(tenant);
      if (tries === maxTries)
        throw new Error(`Swarm gave ${overlayName(tenant.slug)} no subnet; see the log of its leader`);
      skip.add(subnet);
    }
  }
}
