import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceSpec } from 'dockerode';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { mkdir, rm, writeFile } from '../../../../lib/files/changes.ts';
import { label } from '../../engine/labels.ts';
import { overlayName } from '../../engine/names.ts';
import type { TenantSpace } from '../../runtime.ts';
import { shell } from '../../shell-line.ts';
import { createService, listServices, removeService } from '../client/services.ts';
import { listNodes, listTasks, type Node, storageLabel } from '../client/tasks.ts';
import type { SwarmContext } from '../context.ts';
import type { Networks } from '../networks.ts';
import { RepeatedProbe } from './repeated-probe.ts';

const intervalMs = 60 * 60_000;
/** With a pull of the image; a network storage shows a new file after up to a minute. */
const startWithinMs = 90_000;
const answerWithinMs = 180_000;
/** More than a packet carries, whatever the MTU. */
const largeBytes = 256 * 1024;
/** As many as a network has addresses for. In a larger swarm the scheduler chooses the nodes of each probe. */
const maxNodes = 12;

/** The owner of the probe's network. */
export const probeId = 'probe';

/** By node id. */
export type NetworkProblems = ReadonlyMap<string, string[]>;

/** Each node serves its files, and gets a small and a large one from each other node as soon as it knows their addresses. */
const script = `cd /run-of-probe
if command -v httpd >/dev/null && command -v wget >/dev/null; then
  httpd -p 8080 -h /run-of-probe
  get() { timeout 5 wget -q -O "$2" "$1"; }
elif command -v node >/dev/null; then
  node -e 'http.createServer((request, answer) => answer.end(fs.readFileSync("/run-of-probe" + request.url))).listen(8080)' &
  get() { node -e 'fetch(process.argv[1], { signal: AbortSignal.timeout(5000) }).then((answer) => answer.text()).then((text) => fs.writeFileSync(process.argv[2], text), () => process.exit(1))' "$1" "$2"; }
else
  exit 1
fi
until [ -e peers ]; do sleep 1; ls >/dev/null; done
while read -r id address; do
  for try in 1 2 3 4 5; do
    if get "http://$address:8080/small" "/answer/$id.small"; then get "http://$address:8080/large" "/answer/$id.large"; break; fi
    sleep 1
  done
done <peers
echo done >/answer/done
sleep 300`;

/**
 * Checks that answers pass between the nodes in an overlay network. Where a link carries less than the network's MTU, large ones
 * are lost and small ones arrive. The image needs a shell, and httpd and wget, or node; without them nothing is known.
 */
export class NetworkProbe extends RepeatedProbe {
  readonly #context: SwarmContext;
  readonly #networks: Networks;
  readonly #image: string;
  readonly #space: Pick<TenantSpace, 'id' | 'slug'>;
  /** What the last probe found. */
  problems: NetworkProblems = new Map();

  constructor(context: SwarmContext, networks: Networks, image: string) {
    super(context, intervalMs, 'the network between the nodes could not be checked');
    this.#context = context;
    this.#networks = networks;
    this.#image = image;
    // No tenant has such a slug.
    this.#space = { id: probeId, slug: `-probe-${context.instance}` };
  }

  protected async run(signal: AbortSignal): Promise<void> {
    const context = this.#context;
    const directory = join(context.storage, '.probe', `${context.instance}-network`);
    await this.#clear(directory, signal);
    const nodes = [...(await listNodes(context)).values()]
      .filter(({ ready, active, hasStorage }) => ready && active && hasStorage)
      .sort((a, b) => a.name.localeCompare(b.name));
    if (nodes.length < 2) return;
    await stat(context.storage);
    for (const { id } of nodes) await mkdir(join(directory, id), { recursive: true, mode: 0o700 });
    await writeFile(join(directory, 'small'), 'small');
    await writeFile(join(directory, 'large'), Buffer.alloc(largeBytes, 'x'));
    try {
      await this.#networks.ensure(this.#space);
      const asked = await this.#ask(directory, nodes, signal);
      const found = await Promise.all(
        asked.map(async (node) => [node.id, await problemsOf(directory, node, asked)] as const),
      );
      const others = [...this.problems].filter(([id]) => nodes.some((node) => node.id === id));
      this.problems = new Map([...others, ...found]);
    } finally {
      await this.#clear(directory, signal);
    }
  }

  /** The nodes that said that they tried all others. */
  async #ask(directory: string, nodes: readonly Node[], signal: AbortSignal): Promise<Node[]> {
    const count = Math.min(nodes.length, maxNodes);
    const id = await createService(this.#context, this.#plan(directory, count));
    const started = async (): Promise<Map<string, string> | undefined> => {
      const running = (await listTasks(this.#context, { service: [id] })).filter(({ state }) => state === 'running');
      const found = new Map(
        running.map(({ nodeId = '', addresses: [first = ''] }) => [nodeId, first.split('/')[0] ?? '']),
      );
      return found.size === count ? found : undefined;
    };
    const addresses = await poll(started, { timeoutMs: startWithinMs, intervalMs: 500, signal });
    if (!addresses) throw new Error(`The image ${this.#image} does not run on ${count} nodes`);
    const lines = [...addresses].map(([node, address]) => `${node} ${address}\n`);
    await writeFile(join(directory, 'peers'), lines.join(''));
    const asked = nodes.filter((node) => addresses.has(node.id));
    const answered = async (): Promise<true | undefined> =>
      (await haveEnded(directory, asked)).length === count ? true : undefined;
    await poll(answered, { timeoutMs: answerWithinMs, intervalMs: 500, signal });
    return haveEnded(directory, asked);
  }

  /** A manager that ends does not wait until the network can be removed: the next start does it. */
  async #clear(directory: string, signal: AbortSignal): Promise<void> {
    const left = await listServices(this.#context, { role: 'network-probe' });
    for (const { id } of left) await removeService(this.#context, id);
    if (signal.aborted) return;
    await this.#networks.remove(this.#space);
    await rm(directory, { recursive: true, force: true });
  }

  #plan(directory: string, count: number): ServiceSpec {
    const labels = { [label.instance]: this.#context.instance, [label.role]: 'network-probe' };
    const bind = (Source: string, Target: string) => ({ Type: 'bind' as const, Source, Target });
    return {
      Name: `tenantry-network-probe-${this.#context.instance}`,
      Labels: labels,
      TaskTemplate: {
        ContainerSpec: {
          Image: this.#image,
          Labels: labels,
          User: '0',
          Init: true,
          Command: [shell, '-c', script],
          Mounts: [bind(directory, '/run-of-probe'), bind(`${directory}/{{.Node.ID}}`, '/answer')],
          CapabilityDrop: ['ALL'],
          HealthCheck: { Test: ['NONE'] },
        },
        RestartPolicy: { Condition: 'none' },
        Networks: [{ Target: overlayName(this.#space.slug) }],
        Placement: { Constraints: [`node.labels.${storageLabel}==ok`], MaxReplicas: 1 },
      },
      Mode: { Replicated: { Replicas: count } },
      EndpointSpec: { Mode: 'dnsrr' },
    } as ServiceSpec;
  }
}

const lengthOf = async (...path: string[]): Promise<number> =>
  (await readFile(join(...path)).catch(() => Buffer.alloc(0))).length;

async function haveEnded(directory: string, nodes: readonly Node[]): Promise<Node[]> {
  const ended = await Promise.all(nodes.map(({ id }) => lengthOf(directory, id, 'done')));
  return nodes.filter((_, index) => ended[index]);
}

async function problemsOf(directory: string, { id }: Node, others: readonly Node[]): Promise<string[]> {
  // Its programs don't work.
  if ((await lengthOf(directory, id, `${id}.large`)) < largeBytes) return [];
  const problems: string[] = [];
  for (const other of others) {
    if ((await lengthOf(directory, id, `${other.id}.small`)) === 0)
      problems.push(`get no answers from ${other.name}: allow TCP and UDP 7946 and UDP 4789 between the nodes`);
    else if ((await lengthOf(directory, id, `${other.id}.large`)) < largeBytes)
      problems.push(`get no large answers from ${other.name}: set SWARM_MTU to what the links carry`);
  }
  return problems;
}
