import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Nodes',
  hint: 'The hosts that run the tenants. A tenant moves to another node when its own is lost or drained.',
  table: 'Nodes of the swarm',
  columns: {
    name: 'Node',
    state: 'Status',
    storage: 'Shared storage',
    engine: 'Engine',
    resources: 'Resources',
    tenants: 'Tenants',
    actions: 'Actions',
  },
  roles: { manager: 'manager', worker: 'worker' },
  states: { ready: 'Ready', down: 'Down', unknown: 'Unknown' },
  paused: 'Paused',
  draining: (left: number) => format('Draining, {left, plural, one {# tenant} other {# tenants}} left', { left }),
  drained: 'Drained',
  storage: { ok: 'Available', missing: 'Missing', unknown: 'Unknown' },
  resources: (cpus: number, memory: string) =>
    format('{cpus, plural, one {# CPU} other {# CPUs}}, {memory}', { cpus, memory }),
  reserved: (memory: string) => `${memory} reserved`,
  warnings: (node: string) => `Warnings about ${node}`,
  noTenants: 'none',
  emptyTitle: 'One host',
  emptyHint: 'This manager runs all tenants on one host. With RUNTIME=swarm they run on several nodes.',
  drain: 'Drain',
  drainTitle: (node: string) => `Drain ${node}?`,
  drainHint: (count: number) =>
    count === 0
      ? 'No tenant runs there. New tenants start on other nodes until the node is activated again.'
      : format(
          '{count, plural, one {# tenant moves} other {# tenants move}} to other nodes, each with a short interruption:',
          { count },
        ),
  room: (needed: string, free: string) =>
    `The other nodes have room: ${needed} of memory needed, ${free} not reserved.`,
  noRoom: (needed: string, free: string) =>
    `The other nodes lack room: ${needed} of memory needed, ${free} not reserved. Tenants without a place stop until there is one.`,
  lastHint: (count: number) =>
    format(
      'No other node can run tenants. {count, plural, one {# tenant stops} other {# tenants stop}} until a node is available again:',
      { count },
    ),
  force: 'Drain it nevertheless',
  activate: 'Activate',
  activateTitle: (node: string) => `Activate ${node}?`,
  activateHint: 'Tenants may start there again. Those that run elsewhere stay where they are.',
  drainStarted: (node: string) => `${node} is being drained.`,
  activated: (node: string) => `${node} is active.`,
};

export const nodesText = translated({ en, es });
