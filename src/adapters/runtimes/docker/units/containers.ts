import type { Container, ContainerInspectInfo } from 'dockerode';
import { callDocker, ensure, getOrUndefined, ignoreStatus, withContext } from '../../engine/client/errors.ts';
import type { ContainerPlan } from '../../engine/container-plan.ts';
import { createContainer, removeContainer } from '../../engine/containers.ts';
import { isOf, type Labels, labelFilter } from '../../engine/labels.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';
import { type Desired, policyFor } from './desired-state.ts';

/** A tenant's containers, found by name and always checked to be ours before any change. */
export class Containers {
  readonly #context: DockerContext;

  constructor(context: DockerContext) {
    this.#context = context;
  }

  /** For slow requests: attach, wait, upload. */
  get(name: string): Container {
    return this.#context.docker.getContainer(name);
  }

  /**
   * The tenant's container of this name, undefined if there is none.
   * @throws Error when the name belongs to a foreign container, which is left alone
   */
  async find(tenant: TenantSpace, name: string): Promise<ContainerInspectInfo | undefined> {
    const info = await getOrUndefined(() => this.#prompt(name).inspect());
    // The engine also accepts the beginning of an id as a name.
    if (!info || info.Name !== `/${name}`) return this.#renamedByHand(tenant, name);
    if (isOf(this.#context.instance, tenant, info.Config.Labels)) return info;
    throw new Error(
      `A container named ${name} exists at the engine and is not this tenant's; rename or remove it, then try again`,
    );
  }

  create(name: string, { options }: ContainerPlan, labels: Labels = {}): Promise<Container> {
    return createContainer(this.#context, name, { ...options, Labels: { ...options.Labels, ...labels } });
  }

  /** Starts it; the engine restarts it whenever it exits. */
  async start(id: string, name: string): Promise<void> {
    await this.want(id, 'running');
    try {
      await ignoreStatus([304], () => this.#prompt(id).start());
    } catch (error) {
      // The engine does not start a container that was paused by hand.
      const { State: state } = (await getOrUndefined(() => this.#prompt(id).inspect())) ?? {};
      if (state?.Paused) return void (await callDocker(() => this.#prompt(id).unpause()));
      throw withContext(`The container ${name} could not be started`, error);
    }
  }

  /** SIGTERM, then SIGKILL after the container's own timeout; does not change its desired state. */
  async halt(id: string): Promise<void> {
    await ensure(() => this.#prompt(id).stop());
  }

  async want(id: string, desired: Desired): Promise<void> {
    await callDocker(() => this.#prompt(id).update({ RestartPolicy: policyFor(desired) }));
  }

  async rename(id: string, name: string): Promise<void> {
    await callDocker(() => this.#prompt(id).rename({ name }));
  }

  /** Removes it with its anonymous volumes, running or not; resolves when it is gone. */
  remove(id: string): Promise<void> {
    return removeContainer(this.#context, id);
  }

  /** The tenant's container that has another name now than the manager gave it, under its own name again. */
  async #renamedByHand(tenant: TenantSpace, name: string): Promise<ContainerInspectInfo | undefined> {
    const { instance, dockerWithTimeout, logger } = this.#context;
    // The live one; a container of another slot has a dot in its name, and is left to the life cycle.
    if (name.includes('.')) return undefined;
    const role = name.slice(tenant.slug.length + 1);
    const filters = labelFilter({ instance, tenant: tenant.id, role });
    const own = await callDocker(() => dockerWithTimeout.listContainers({ all: true, filters }));
    const [renamed, ...others] = own.filter(
      ({ Names: [found = ''], Labels: labels }) =>
        !found.startsWith(`/${name}.`) && labels['com.docker.swarm.task.id'] === undefined,
    );
    if (!renamed || others.length > 0) return undefined;
    logger.warn({ container: renamed.Names[0], name }, 'a container was renamed by hand; it gets its name again');
    await this.rename(renamed.Id, name);
    return getOrUndefined(() => this.#prompt(renamed.Id).inspect());
  }

  #prompt(name: string): Container {
    return this.#context.dockerWithTimeout.getContainer(name);
  }
}
