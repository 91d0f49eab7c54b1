import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { sizeText } from '../../../components/data/size.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { apiText } from '../../../lib/api-text.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { systemText } from '../messages.ts';
import { nodesText as words } from './messages.ts';
import { NodeAction } from './node-action.tsx';
import styles from './nodes.module.css';
import { type Node, nodesQuery } from './queries.ts';

/** The hosts of a swarm, and what runs on them. */
export function NodesSection() {
  const { data, error } = useQuery(nodesQuery);
  const admin = useHasRole('admin');
  if (!data) return <Waiting error={error} />;
  const { nodes, warnings } = data;
  const columns = admin
    ? [...facts, { name: words.columns.actions, kind: 'action' as const, cell: actionFor(nodes) }]
    : facts;
  return (
    <>
      <PagePart title={words.title} hint={words.hint} />
      <ErrorNote error={error} />
      {warnings.map((warning) => (
        <Note key={warning} tone="warn" title={apiText(systemText.findings, warning)} />
      ))}
      {nodes.length === 0 ? (
        <Empty title={words.emptyTitle} hint={words.emptyHint} />
      ) : (
        <DataTable label={words.table} columns={columns} rows={nodes} keyOf={({ id }) => id} />
      )}
    </>
  );
}

const actionFor = (nodes: readonly Node[]) => (node: Node) => <NodeAction node={node} nodes={nodes} />;

function State({ node: { state, availability, tenants } }: { node: Node }) {
  if (state !== 'ready') return <Badge tone={state === 'down' ? 'bad' : 'warn'}>{words.states[state]}</Badge>;
  if (availability === 'pause') return <Badge tone="warn">{words.paused}</Badge>;
  if (availability === 'active') return <Badge tone="good">{words.states.ready}</Badge>;
  return tenants.length > 0 ? (
    <Badge tone="busy">{words.draining(tenants.length)}</Badge>
  ) : (
    <Badge tone="plain">{words.drained}</Badge>
  );
}

const storageTone = { ok: 'good', missing: 'bad', unknown: 'plain' } as const;

const facts: readonly Column<Node>[] = [
  {
    name: words.columns.name,
    kind: 'text',
    cell: ({ hostname, address, role, warnings }) => (
      <>
        {hostname}
        <span className={styles.fine}>
          {address}, {words.roles[role]}
        </span>
        {warnings.length > 0 && (
          <ul className={styles.warnings} aria-label={words.warnings(hostname)}>
            {warnings.map((warning) => (
              <li key={warning}>{apiText(systemText.findings, warning)}</li>
            ))}
          </ul>
        )}
      </>
    ),
  },
  { name: words.columns.state, cell: (node) => <State node={node} /> },
  {
    name: words.columns.storage,
    cell: ({ storage }) => <Badge tone={storageTone[storage]}>{words.storage[storage]}</Badge>,
  },
  { name: words.columns.engine, cell: ({ engine_version }) => engine_version },
  {
    name: words.columns.resources,
    cell: ({ cpus, memory_bytes, reserved_bytes }) => (
      <>
        {words.resources(cpus, sizeText(memory_bytes))}
        <span className={styles.fine}>{words.reserved(sizeText(reserved_bytes))}</span>
      </>
    ),
  },
  { name: words.columns.tenants, kind: 'text', cell: ({ tenants }) => <TenantLinks slugs={tenants} /> },
];

/** Tenants, each found by its slug in the list of tenants. */
const TenantLinks = ({ slugs }: { slugs: readonly string[] }) =>
  slugs.length === 0 ? (
    words.noTenants
  ) : (
    <ul className={styles.tenants}>
      {slugs.map((slug) => (
        <li key={slug}>
          <Link to={`/tenants?q=${slug}`}>{slug}</Link>
        </li>
      ))}
    </ul>
  );
