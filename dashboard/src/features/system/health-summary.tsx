import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { sizeText } from '../../components/data/size.ts';
import { proxyQuery } from '../sites/queries.ts';
import { systemText as words } from './messages.ts';
import { diskQuery, type SystemOverview } from './queries.ts';
import styles from './system.module.css';

interface Problem {
  what: string;
  /** The page that solves it. */
  to?: string;
  /** An error; otherwise a warning. */
  bad?: boolean;
}

/** A sentence that says all is well, or what is not, the worst first. */
export function HealthSummary({ system }: { system: SystemOverview }) {
  const problems = useProblems(system);
  return (
    <section
      className={styles.verdict}
      data-tone={problems.length === 0 ? 'good' : problems.some(({ bad }) => bad) ? 'bad' : 'warn'}
      role="status"
    >
      <h2>{problems.length === 0 ? words.well : words.unwell(problems.length)}</h2>
      {problems.length === 0 && <p>{words.wellHint}</p>}
      {problems.length > 0 && (
        <ul>
          {problems.map(({ what, to }) => (
            <li key={what}>
              {what} {to && <Link to={to}>{words.look}</Link>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function useProblems({ runtime, storage, tenants, warnings }: SystemOverview): Problem[] {
  const { data: disk } = useQuery(diskQuery);
  const { data: proxy } = useQuery(proxyQuery);
  const problems: Problem[] = [];
  if (!runtime.available) problems.push({ what: words.problems.engine(runtime.detail), bad: true });
  for (const { hostname } of storage?.missing ?? [])
    problems.push({ what: words.problems.nodeStorage(hostname), bad: true });
  for (const warning of warnings) problems.push({ what: warning });
  if (disk && disk.free_bytes < disk.needed_bytes)
    problems.push({ what: words.problems.disk(sizeText(disk.free_bytes), sizeText(disk.needed_bytes)) });
  if (disk?.engine && disk.engine.free_bytes < disk.needed_bytes)
    problems.push({ what: words.problems.engineDisk(sizeText(disk.engine.free_bytes), disk.engine.place) });
  if (proxy && proxy.kind !== 'none' && !proxy.available)
    problems.push({ what: words.problems.proxy(proxy.detail), to: '/system/proxy', bad: true });
  const drifted = (proxy?.sites.edited ?? 0) + (proxy?.sites.missing ?? 0);
  if (drifted > 0) problems.push({ what: words.problems.drift(drifted), to: '/system/proxy?show=look' });
  const wrong = tenants.by_status.error ?? 0;
  if (wrong > 0) problems.push({ what: words.problems.errors(wrong), to: '/?status=error', bad: true });
  const { unhealthy = 0, degraded = 0 } = tenants.running_by_health;
  if (unhealthy > 0)
    problems.push({ what: words.problems.unhealthy(unhealthy), to: '/?status=running&health=unhealthy', bad: true });
  if (degraded > 0) problems.push({ what: words.problems.degraded(degraded), to: '/?status=running&health=degraded' });
  return problems;
}
