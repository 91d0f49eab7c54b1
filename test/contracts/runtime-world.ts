import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  CommandEnd,
  JobSpec,
  ReleaseRequest,
  Runtime,
  TenantSpace,
  UnitRef,
  UnitRole,
  UnitSpec,
} from '../../src/adapters/runtimes/runtime.ts';
import { poll } from '../../src/lib/concurrency/poll.ts';
import type { Work } from '../../src/lib/concurrency/work.ts';
import { patienceMs } from '../harness/patience.ts';
import { freePort } from '../harness/servers/ports.ts';
import { writeRelease } from './runtime-fixture.ts';

/** What a runtime provides to the contract suite. */
export interface RuntimeHarness {
  /** The suite's own directory, for checkouts and tenants' directories. */
  directory: string;
  /** A new, opened instance on the state of the previous instance: a restarted manager. */
  open(): Promise<Runtime>;
  /** Removes what is outside of `directory`; the suite has closed the last instance. */
  close(): Promise<void>;
  /** Whether lines distinguish stdout from stderr. */
  separateStreams: boolean;
  /** The hosts of units' addresses; default: this machine. */
  unitHost?: RegExp;
}

export interface Changes {
  environment?: Record<string, string>;
  ports?: Partial<Record<UnitRole, number>>;
}

/** Both units of one tenant, with its ports. */
export interface Subject {
  tenant: TenantSpace;
  api: UnitRef;
  frontend: UnitRef;
  ports: Record<UnitRole, number>;
}

interface Answer {
  version: string;
  instance: string;
}

const limits = { memoryMb: 256, cpus: 1, pids: 128 };

/** The suite's tools: one runtime, its tenants and releases, and requests to the units. */
export class RuntimeWorld {
  runtime: Runtime;
  readonly #harness: RuntimeHarness;
  readonly #subjects: Subject[] = [];
  readonly #releases = new Map<string, ReleaseRequest>();
  #shared: Promise<{ subject: Subject; release: ReleaseRequest }> | undefined;

  private constructor(harness: RuntimeHarness, runtime: Runtime) {
    this.#harness = harness;
    this.runtime = runtime;
  }

  static async create(harness: RuntimeHarness): Promise<RuntimeWorld> {
    return new RuntimeWorld(harness, await harness.open());
  }

  /** The manager stops and starts again. */
  async reopen(): Promise<void> {
    await this.runtime.close();
    this.runtime = await this.#harness.open();
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#subjects.map(({ tenant }) => this.runtime.removeTenant(tenant, { data: true })));
    await this.runtime.removeReleasesExcept(new Set());
    await this.runtime.close();
    await this.#harness.close();
    await rm(this.#harness.directory, { recursive: true, force: true });
  }

  async subject(): Promise<Subject> {
    const id = randomUUID();
    const tenant = { id, slug: `t-${id.slice(0, 8)}`, directory: join(this.#harness.directory, 'tenants', id) };
    await mkdir(tenant.directory, { recursive: true, mode: 0o700 });
    const subject: Subject = {
      tenant,
      api: { tenant, role: 'api' },
      frontend: { tenant, role: 'frontend' },
      ports: { api: await freePort(), frontend: await freePort() },
    };
    this.#subjects.push(subject);
    return subject;
  }

  /** A checkout that has not been prepared. */
  checkout(version: string, flaw?: 'slow' | 'fail'): Promise<ReleaseRequest> {
    return writeRelease(join(this.#harness.directory, 'checkouts'), version, flaw);
  }

  /** The prepared release of a version, shared by all callers. */
  async release(version: string): Promise<ReleaseRequest> {
    const release = this.#releases.get(version) ?? (await this.checkout(version));
    this.#releases.set(version, release);
    await this.runtime.prepareRelease(release, quietWork());
    return release;
  }

  spec(subject: Subject, role: UnitRole, release: ReleaseRequest, changes: Changes = {}): UnitSpec {
    return {
      tenant: subject.tenant,
      role,
      release: { key: release.key, commit: release.commit, checkout: release.checkout },
      definition: release.units[role],
      environment: { APP_NAME: subject.tenant.slug, ...changes.environment },
      hostPort: changes.ports?.[role] ?? subject.ports[role],
      limits,
    };
  }

  job(subject: Subject, release: ReleaseRequest, changes: Changes = {}): JobSpec {
    const { hostPort: _, ...spec } = this.spec(subject, 'api', release, changes);
    return spec;
  }

  /** Runs a job of one command. */
  run(
    subject: Subject,
    release: ReleaseRequest,
    command: string,
    { work = quietWork(), timeoutMs = patienceMs }: { work?: Work; timeoutMs?: number } = {},
  ): Promise<CommandEnd> {
    return this.runtime.runJob(this.job(subject, release), work, (run) => run(command, { timeoutMs }));
  }

  async stage(subject: Subject, release: ReleaseRequest, changes: Changes = {}): Promise<void> {
    for (const role of ['api', 'frontend'] as const)
      await this.runtime.stage(this.spec(subject, role, release, changes), quietWork());
  }

  /** Stages, activates and waits until both units answer with the release's version; not committed. */
  async activate(subject: Subject, release: ReleaseRequest, changes: Changes = {}): Promise<void> {
    await this.stage(subject, release, changes);
    await this.runtime.activate(subject.tenant, quietWork());
    for (const role of ['api', 'frontend'] as const) await this.answer(subject, role);
  }

  async deployed(version = '1.0.0', changes: Changes = {}): Promise<{ subject: Subject; release: ReleaseRequest }> {
    const subject = await this.subject();
    const release = await this.release(version);
    await this.activate(subject, release, changes);
    await this.runtime.commit(subject.tenant);
    return { subject, release };
  }

  /** A deployed tenant that all promises share that only read, or write what no other one reads. */
  shared(): Promise<{ subject: Subject; release: ReleaseRequest }> {
    this.#shared ??= this.deployed();
    return this.#shared;
  }

  /** The JSON response of a unit; undefined if nothing responds, or not with 200. */
  async ask<T>(subject: Subject, role: UnitRole, path: string): Promise<T | undefined> {
    const { host, port } = await this.runtime.address(subject[role], subject.ports[role]);
    try {
      const response = await fetch(`http://${host}:${port}${path}`, { signal: AbortSignal.timeout(5_000) });
      return response.ok ? ((await response.json()) as T) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The version and instance that respond; waits for one, or for one that `fits`. */
  answer(subject: Subject, role: UnitRole = 'api', fits: (answer: Answer) => boolean = () => true): Promise<Answer> {
    return this.eventually(`${role} of ${subject.tenant.slug} answers`, async () => {
      const answer = await this.ask<Answer>(subject, role, '/');
      return answer && fits(answer) ? answer : undefined;
    });
  }

  async say(subject: Subject, text: string, times: number, stream = 'stdout'): Promise<void> {
    const said = await this.ask(subject, 'api', `/say?text=${text}&times=${times}&stream=${stream}`);
    if (!said) throw new Error(`${subject.tenant.slug} does not answer`);
  }

  async lastLines(unit: UnitRef, lines: number): Promise<string[]> {
    const messages: string[] = [];
    const signal = AbortSignal.timeout(patienceMs);
    for await (const line of this.runtime.logs(unit, { lines, follow: false, signal })) messages.push(line.message);
    return messages;
  }

  /** Waits for a result other than undefined. @throws an Error that names the expected result */
  async eventually<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
    const answer = await poll(probe, { timeoutMs: patienceMs, intervalMs: 50 });
    if (answer === undefined) throw new Error(`Waited in vain: ${what}`);
    return answer;
  }
}

/** Work whose lines are kept. */
export function recordedWork(signal = new AbortController().signal): Work & { lines: string[] } {
  const lines: string[] = [];
  return { lines, log: (line) => lines.push(line), signal };
}

export const quietWork = (): Work => recordedWork();
