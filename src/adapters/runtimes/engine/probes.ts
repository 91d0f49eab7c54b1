import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { Readable } from 'node:stream';
import type { Container, ContainerCreateOptions } from 'dockerode';
import { pack } from 'tar-stream';
import { poll } from '../../../lib/concurrency/poll.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError, ExplainedError, messageOf } from '../../../lib/errors.ts';
import type { ImageAccess } from '../image-access.ts';
import type { ProbeContainers, RuntimeProbes } from '../nodes.ts';
import type { TenantSpace } from '../runtime.ts';
import { followProgress } from './client/build-progress.ts';
import { callDocker, getOrUndefined, ignoreStatus } from './client/errors.ts';
import { type Abilities, hostConfig } from './container-plan.ts';
import { createContainer, removeContainer } from './containers.ts';
import type { EngineContext } from './context.ts';
import { execute } from './exec/execute.ts';
import type { BaseImages } from './images/base-images.ts';
import { buildKit } from './images/images.ts';
import { label, labelFilter, tenantLabels } from './labels.ts';
import { type ProbeProblem, probeError } from './probe-problems.ts';

/** Less than a check has in all, so that its failure is named. */
const answerWithinMs = 12_000;
const port = 8080;
/** The image is not trusted. */
const limits = { memoryMb: 256, cpus: 1, pids: 64 };

const server = 'http.createServer((request, answer) => answer.end(process.argv[1])).listen(Number(process.argv[2]))';
/** Prints what it got, or the code of its failure. */
const client = {
  resolve:
    'dns.lookup(process.argv[1], (error) => console.log(JSON.stringify(error ? { code: error.code } : { text: "" })))',
  request: `fetch(process.argv[1], { redirect: 'manual', signal: AbortSignal.timeout(Number(process.argv[2])) }).then((answer) => answer.text()).then(
    (text) => console.log(JSON.stringify({ text: text.slice(0, 100) })),
    (error) => console.log(JSON.stringify({ code: error.cause?.code ?? error.name })))`,
};

/** The owner of what is made. No tenant has such a slug. */
export const probeSpace = (instance: string): TenantSpace => ({
  id: 'preflight',
  slug: `-preflight-${instance}`,
  directory: '',
});

/** What the probes take from their runtime. */
export interface ProbeParts {
  bases: BaseImages;
  /** The network of `probeSpace`, as tenants have it. */
  network: { name: string; ensure(): Promise<void>; remove(): Promise<void> };
  /** `published`: the address at which ports are published and the one at which the manager asks them; undefined: it asks none. */
  facts(): Promise<{ can: Abilities; published: { at: string; askedAt: string } | undefined }>;
}

/** Tries out on an engine what deployments need of it; see `RuntimeProbes`. */
export class EngineProbes implements RuntimeProbes {
  readonly #context: EngineContext;
  readonly #parts: ProbeParts;
  readonly #space: TenantSpace;

  constructor(context: EngineContext, parts: ProbeParts) {
    this.#context = context;
    this.#parts = parts;
    this.#space = probeSpace(context.instance);
  }

  readonly pull: RuntimeProbes['pull'] = (image, access, work) =>
    this.#parts.bases.ensurePulled(image, access, work, true);

  async lookUp(image: string, access: ImageAccess, work: Work): Promise<void> {
    if (!(await this.hasImage(image))) await this.#parts.bases.lookUp(image, access, work);
  }

  async hasImage(image: string): Promise<boolean> {
    return (await getOrUndefined(() => this.#context.dockerWithTimeout.getImage(image).inspect())) !== undefined;
  }

  async build(image: string, work: Work): Promise<void> {
    const context = pack();
    context.entry({ name: 'Dockerfile' }, `FROM ${image}\n`);
    context.finalize();
    const t = `tenantry/preflight:${randomBytes(6).toString('hex')}`;
    const content = Readable.from(context, { objectMode: false });
    const options = { t, nocache: true, labels: this.#labels, abortSignal: work.signal };
    try {
      await followProgress(() => this.#context.docker.buildImage(content, buildKit(options)), work);
    } catch (error) {
      throw explained({ code: 'build_failed', params: { image } }, error, work);
    } finally {
      await ignoreStatus([404], () => this.#context.dockerWithTimeout.getImage(t).remove());
    }
  }

  async network(): Promise<void> {
    await this.#parts.network.ensure().catch((error: unknown) => {
      throw explained({ code: 'network_refused', params: {} }, error);
    });
  }

  async containers(image: string, work: Work): Promise<ProbeContainers> {
    const secret = randomBytes(8).toString('hex');
    const { can, published } = await this.#parts.facts();
    const [one, other] = await Promise.all([
      this.#start(image, secret, { name: 'one', can, publishedAt: published?.at }, work),
      this.#start(image, secret, { name: 'other', can, publishedAt: undefined }, work),
    ]);
    const ask = async (container: Container, script: string, ...argv: string[]): Promise<Answer> => {
      const lines: string[] = [];
      const log = (line: string): void => void lines.push(line);
      await execute(container, ['node', '-e', script, ...argv], { log, signal: work.signal });
      return JSON.parse(lines.at(-1) ?? '{}') as Answer;
    };
    return {
      reachEachOther: async ({ signal }) => {
        const url = `http://${this.#nameOf('one')}:${port}/`;
        let last: Answer = {};
        const isReached = async (): Promise<true | undefined> => {
          last = await ask(other, client.request, url, '2000');
          return last.text === secret ? true : undefined;
        };
        if (await poll(isReached, { timeoutMs: answerWithinMs, signal })) return;
        throw probeError({ code: 'containers_apart', params: {} }, last.code);
      },
      published: published && ((probing) => this.#askPublished(one, secret, published.askedAt, probing)),
      async resolve({ hostname }) {
        const { code } = await ask(one, client.resolve, hostname);
        if (code) throw probeError({ code: 'container_name_unresolved', params: { host: hostname } }, code);
      },
      async request(url) {
        const { code } = await ask(one, client.request, url.href, String(answerWithinMs));
        if (code) throw probeError({ code: 'container_https_failed', params: { host: url.host } }, code);
      },
    };
  }

  async clear(): Promise<void> {
    await this.clearEngine();
    await this.#parts.network.remove();
  }

  /** Removes all but the network. */
  async clearEngine(): Promise<void> {
    const { dockerWithTimeout: docker, instance } = this.#context;
    const filters = labelFilter({ instance, role: 'preflight' });
    const found = await callDocker(() => docker.listContainers({ all: true, filters }));
    await Promise.all(found.map(({ Id: id }) => removeContainer(this.#context, id)));
    for (const { Id: id } of await callDocker(() => docker.listImages({ filters })))
      await ignoreStatus([404, 409], () => docker.getImage(id).remove());
    await this.#parts.bases.forgetUnused();
  }

  get #labels() {
    return { ...tenantLabels(this.#context.instance, this.#space), [label.role]: 'preflight' };
  }

  #nameOf(name: string): string {
    return `tenantry-preflight-${this.#context.instance}-${name}`;
  }

  async #start(
    image: string,
    secret: string,
    { name, can, publishedAt }: { name: string; can: Abilities; publishedAt: string | undefined },
    { signal }: Work,
  ): Promise<Container> {
    const options: ContainerCreateOptions = {
      Image: image,
      Labels: this.#labels,
      Entrypoint: ['node', '-e', server, secret, String(port)],
      Cmd: [],
      ExposedPorts: { [`${port}/tcp`]: {} },
      HostConfig: {
        ...hostConfig({ tenant: this.#space, limits }, { can }),
        NetworkMode: this.#parts.network.name,
        PortBindings: publishedAt === undefined ? {} : { [`${port}/tcp`]: [{ HostIp: publishedAt, HostPort: '' }] },
      },
    };
    const container = await createContainer(this.#context, this.#nameOf(name), options);
    signal.throwIfAborted();
    await callDocker(() => container.start(), signal).catch((error: unknown) => {
      if (/executable file not found|no such file/i.test(messageOf(error)))
        throw probeError({ code: 'image_without_node', params: { image } }, error);
      throw error;
    });
    return container;
  }

  async #askPublished(container: Container, secret: string, address: string, { signal }: Work): Promise<void> {
    const { NetworkSettings } = await callDocker(() => container.inspect(), signal);
    const published = NetworkSettings.Ports[`${port}/tcp`]?.[0]?.HostPort ?? '';
    const host = isIPv6(address) ? `[${address}]` : address;
    let last: unknown;
    const isReached = async (): Promise<true | undefined> => {
      try {
        const answer = await fetch(`http://${host}:${published}/`, { signal: AbortSignal.timeout(2_000) });
        return (await answer.text()) === secret ? true : undefined;
      } catch (error) {
        last = error;
        return undefined;
      }
    };
    if (await poll(isReached, { timeoutMs: answerWithinMs, signal })) return;
    throw probeError({ code: 'port_unreachable', params: { port: published, address } }, last);
  }
}

interface Answer {
  text?: string;
  code?: string;
}

/** An engine that does not answer, a known cause and a check that was ended keep their errors. */
function explained(problem: ProbeProblem, error: unknown, work?: Work): unknown {
  const isKnown = error instanceof ExplainedError || error instanceof AppError || work?.signal.aborted;
  return isKnown ? error : probeError(problem, error);
}
