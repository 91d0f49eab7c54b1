import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ContainerInspectInfo } from 'dockerode';
import { AppError } from '../../../../lib/errors.ts';
import { createWriteStream, mkdtemp, rm } from '../../../../lib/files/changes.ts';
import { callDocker, withContext } from '../../engine/client/errors.ts';
import { importDirectory, planRemoval } from '../../engine/container-plan.ts';
import { archiveOf } from '../../engine/images/archive.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';
import type { Jobs } from '../exec/jobs.ts';
import type { Containers } from '../units/containers.ts';
import type { Generations } from '../units/generations.ts';

const removalTimeoutMs = 60_000;

/** Files in a tenant's import directory, which only containers see, whether its units run or not. */
export class ImportFiles {
  readonly #context: DockerContext;
  readonly #containers: Containers;
  readonly #generations: Generations;
  readonly #jobs: Jobs;

  constructor(context: DockerContext, containers: Containers, generations: Generations, jobs: Jobs) {
    this.#context = context;
    this.#containers = containers;
    this.#generations = generations;
    this.#jobs = jobs;
  }

  /** Spooled to disk first, as an archive needs a file's length before its content; memory use is a few chunks. */
  async put(tenant: TenantSpace, name: string, content: AsyncIterable<Uint8Array>): Promise<string> {
    checkName(name);
    const unit = await this.#unit(tenant);
    if (!unit) throw new AppError('not_deployed', `${tenant.slug} is not deployed: it has no import directory`);
    const directory = importDirectory(await this.#context.facts(), tenant);
    const container = this.#containers.get(unit.Id);
    const spool = await mkdtemp(join(tmpdir(), 'tenantry-import-'));
    try {
      await pipeline(content, createWriteStream(join(spool, name), { mode: 0o600 }));
      const owner = await this.#context.users.ownerIn(container);
      const archive = archiveOf(spool, { entries: [name], owner });
      await callDocker(() => container.putArchive(archive, { path: directory }));
    } catch (error) {
      throw withContext(`The file ${name} could not be written to ${unit.Name.slice(1)}`, error);
    } finally {
      await rm(spool, { recursive: true, force: true });
    }
    return `${directory}/${name}`;
  }

  /** By a short-lived container of the unit's own image and user, without network: the engine itself can only add files. */
  async remove(tenant: TenantSpace, name: string): Promise<void> {
    checkName(name);
    const unit = await this.#unit(tenant);
    if (!unit) return;
    const said: string[] = [];
    const work = { log: (line: string) => said.push(line), signal: new AbortController().signal };
    const facts = await this.#context.facts();
    const { exitCode } = await this.#jobs.run(tenant, planRemoval(tenant, unit.Image, facts), work, [], (run) =>
      run(['rm', '-f', '--', `${importDirectory(facts, tenant)}/${name}`], removalTimeoutMs),
    );
    if (exitCode !== 0) throw new Error(`The file ${name} could not be removed: ${said.join(' ')}`);
  }

  async #unit(tenant: TenantSpace): Promise<ContainerInspectInfo | undefined> {
    const unit = { tenant, role: 'api' } as const;
    return (await this.#generations.current(unit)) ?? (await this.#generations.staged(unit));
  }
}

function checkName(name: string): void {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name))
    throw new Error(`Not a name for an import file: ${JSON.stringify(name)}`);
}
