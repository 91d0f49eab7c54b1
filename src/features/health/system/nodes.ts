import { z } from 'zod';
import type { Actor, WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { RuntimeNode } from '../../../adapters/runtimes/nodes.ts';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';

const slugs = z.array(z.string());

const node = z
  .object({
    id: z.string(),
    hostname: z.string(),
    state: z.enum(['ready', 'down', 'unknown']),
    availability: z.enum(['active', 'pause', 'drain']),
    role: z.enum(['manager', 'worker']),
    address: z.string(),
    engine_version: z.string(),
    storage: z.enum(['ok', 'missing', 'unknown']).meta({ description: 'Whether it has the shared storage' }),
    cpus: z.number(),
    memory_bytes: z.int(),
    reserved_bytes: z.int().meta({ description: 'Memory that everything there reserves' }),
    tenants_reserved_bytes: z
      .int()
      .meta({ description: 'The part of it that tenants reserve, and take to another node' }),
    tenants: slugs.meta({ description: 'Slugs of the tenants with a unit that runs there' }),
    warnings: z.array(z.string()).meta({ description: 'What an administrator should change on this node' }),
  })
  .meta({ id: 'Node' });

const nodeList = z.object({
  nodes: z.array(node),
  warnings: z.array(z.string()).meta({ description: 'What concerns several nodes' }),
});
const changeBody = z.object({
  node,
  moving: slugs.meta({ description: 'Tenants whose units move to other nodes now' }),
});

function shown(all: RuntimeNode): z.input<typeof node> {
  const { engineVersion, memoryBytes, reservedBytes, tenantsReservedBytes, ...others } = all;
  const { noNewPrivileges: _, networkProblems: __, usage: ___, ...rest } = others;
  return {
    ...rest,
    engine_version: engineVersion,
    memory_bytes: memoryBytes,
    reserved_bytes: reservedBytes,
    tenants_reserved_bytes: tenantsReservedBytes,
    warnings: nodeWarnings(all),
  };
}

/** Whether units can run there. */
const isEligible = ({ state, availability, storage }: RuntimeNode): boolean =>
  state === 'ready' && availability === 'active' && storage === 'ok';

/** Docker 20.10 is the first with API 1.41, which jobs need. */
const oldest = [20, 10] as const;

const needed = `needs ${oldest.join('.')}`;
const remedy = 'set "no-new-privileges": true in daemon.json';

/** What an administrator should know about one node, without its name. A missing storage is a fact of its own. */
export function nodeWarnings({ engineVersion, noNewPrivileges, networkProblems }: RuntimeNode): string[] {
  return [
    ...(isTooOld(engineVersion) ? [`The engine is too old: ${engineVersion}, ${needed}`] : []),
    ...(noNewPrivileges === false ? [`Programs of tenants can gain privileges: ${remedy}`] : []),
    ...networkProblems.map((problem) => `Units here ${problem}`),
  ];
}

/** What concerns several nodes. */
function sharedWarnings(nodes: readonly RuntimeNode[]): string[] {
  const versions = [...new Set(nodes.map(({ engineVersion }) => engineVersion))].filter(Boolean).sort();
  return versions.length > 1 ? [`The nodes have different engines: ${versions.join(', ')}`] : [];
}

/** What an administrator should know about the nodes, in sentences that name them. */
export function nodeFindings(nodes: readonly RuntimeNode[] | undefined): {
  storage: { missing: { id: string; hostname: string }[] } | null;
  warnings: string[];
} {
  if (!nodes) return { storage: null, warnings: [] };
  const missing = nodes.filter(({ storage }) => storage === 'missing').map(({ id, hostname }) => ({ id, hostname }));
  const old = nodes.filter(({ engineVersion }) => isTooOld(engineVersion));
  const warnings = old.map(
    ({ hostname, engineVersion }) => `The engine of ${hostname} is too old: ${engineVersion}, ${needed}`,
  );
  warnings.push(...sharedWarnings(nodes));
  const unprotected = nodes.filter(({ noNewPrivileges }) => noNewPrivileges === false).map(({ hostname }) => hostname);
  if (unprotected.length > 0)
    warnings.push(`Programs of tenants can gain privileges on ${unprotected.join(', ')}: ${remedy}`);
  for (const { hostname, networkProblems } of nodes)
    warnings.push(...networkProblems.map((problem) => `Units on ${hostname} ${problem}`));
  return { storage: { missing }, warnings };
}

/** An empty version is unknown. */
function isTooOld(version: string): boolean {
  if (version === '') return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
}

/** The hosts of the runtime, to see and to take out of service. */
export function nodeRoutes(runtime: Pick<Runtime, 'kind' | 'nodes'>, writeAuditLog: WriteAuditLog): Route[] {
  const common = { tag: 'System' } as const;

  async function change(id: string, availability: 'active' | 'drain', force: boolean, actor: Actor) {
    const { nodes } = runtime;
    if (!nodes) throw new AppError('invalid_state', `The runtime ${runtime.kind} has one host`);
    const all = await nodes.list();
    const found = all.find((one) => one.id === id);
    if (!found) throw notFound('node', id);
    const isLast = !all.some((one) => one.id !== id && isEligible(one));
    if (availability === 'drain' && isLast && found.tenants.length > 0 && !force)
      throw new AppError(
        'invalid_state',
        `No other node is ready, active and has the storage: ${found.tenants.length} tenants would stop; set force to drain it nevertheless`,
      );
    await nodes.setAvailability(id, availability);
    await writeAuditLog({
      level: 'info',
      category: 'audit',
      topic: 'node',
      message: `${actor.username} ${availability === 'drain' ? 'drained' : 'activated'} the node ${found.hostname}`,
      details: { user_id: actor.userId, username: actor.username, node_id: id, tenants: found.tenants },
    });
    return { node: shown({ ...found, availability }), moving: availability === 'drain' ? found.tenants : [] };
  }

  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/system/nodes',
        access: 'operate',
        summary: 'List the nodes of the swarm',
        description: 'Empty for runtimes of one host.',
        responses: { 200: { schema: nodeList } },
        errors: ['runtime_unavailable'],
      },
      async () => {
        const nodes = (await runtime.nodes?.list()) ?? [];
        return { nodes: nodes.map(shown), warnings: sharedWarnings(nodes) };
      },
    ),
    ...(['drain', 'active'] as const).map((availability) =>
      defineRoute(
        {
          ...common,
          method: 'post',
          path: availability === 'drain' ? '/api/system/nodes/{id}/drain' : '/api/system/nodes/{id}/activate',
          access: 'administer',
          summary: availability === 'drain' ? 'Move all units away from a node' : 'Allow units on a node again',
          description:
            availability === 'drain'
              ? 'Units stop there and start on other nodes, one after the other; the list of nodes shows when they have. Refused with `invalid_state` if no other node can run them, unless `force` is set.'
              : 'Units stay where they are; the node gets new ones.',
          body: z.strictObject({ force: z.boolean().default(false) }).prefault({}),
          responses: { 200: { schema: changeBody } },
          errors: ['invalid_state', 'runtime_unavailable'],
        },
        ({ params, body, principal }) => change(params.id, availability, body.force, principal),
      ),
    ),
  ];
}
