import type { Container, ContainerInspectInfo } from 'dockerode';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { callDocker, ensure, getOrUndefined, ignoreStatus, withContext } from '../../engine/client/errors.ts';
import type { ContainerPlan } from '../../engine/container-plan.ts';
import { emptied, isOf, type Labels } from '../../engine/labels.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';
import { type Desired, policyFor } from './desired-state.ts';

/** The engine removes in the background; the name is free only after that. */
const removalWithinMs = 60_000;

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
    if (!info || info.Name !== `/${name}`) return undefined;
    if (isOf(this.#context.instance, tenant, info.Config.Labels)) return info;
    throw new Error(
      `A container named ${name} exists at the engine and is not this tenant's; rename or remove it, then try again`,
    );
  }

  async create(name: string, plan: ContainerPlan, labels: Labels = {}): Promise<Container> {
    try {
      const foreign = await this.#labelsOf(plan.options.Image ?? '');
      const options = { ...plan.options, name, Labels: { ...foreign, ...plan.options.Labels, ...labels } };
      const { id } = await callDocker(() => this.#context.dockerWithTimeout.createContainer(options));
      return this.get(id);
    } catch (error) {
      throw withContext(`The container ${name} could not be created`, error);
    }
  }

  /** The labels of an image, emptied: what reads the labels of containers, such as a proxy, must not obey a tenant's image. */
  async #labelsOf(image: string): Promise<Labels> {
    const found = await getOrUndefined(() => this.#context.dockerWithTimeout.getImage(image).inspect());
    return emptied(found?.Config?.Labels);
  }

  /** Starts it; the engine restarts it whenever it exits. */
  async start(id: string, name: string): Promise<void> {
    await this.want(id, 'running');
    try {
      await ignoreStatus([304], () => this.#prompt(id).start());
    } catch (error) {
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
  async remove(id: string): Promise<void> {
    // 409: its removal is in progress.
    await ignoreStatus([404, 409], () => this.#prompt(id).remove({ force: true, v: true }));
    const gone = async () =>
      (await getOrUndefined(() => this.#prompt(id).inspect())) === undefined ? true : undefined;
    if (!(await poll(gone, { timeoutMs: removalWithinMs, intervalMs: 100 })))
      throw new Error(`The engine did not remove the container ${id} within ${removalWithinMs / 1000} s`);
  }

  #prompt(name: string): Container {
    return this.#context.dockerWithTimeout.getContainer(name);
  }
}
