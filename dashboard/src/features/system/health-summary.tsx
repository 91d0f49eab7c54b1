import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { attentionQuery } from '../../api/queries.ts';
import { systemText as words } from './messages.ts';
import { overviewPage, type Problem, problemsOf } from './problems.ts';
import type { SystemOverview } from './queries.ts';
import styles from './system.module.css';

/** A sentence that says all is well, or what is not, the worst first, on the page of the overview. */
export function HealthSummary({ system }: { system: SystemOverview }) {
  const problems = useProblems(system);
  if (!problems) return null;
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
          {problems.map(({ what, to, label }) => (
            <li key={what}>
              {what} {to !== overviewPage && <Link to={to}>{label}</Link>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function useProblems({ tenants }: SystemOverview): Problem[] | undefined {
  const { data } = useQuery(attentionQuery);
  if (!data) return undefined;
  const problems = problemsOf(data.system);
  const add = (problem: Omit<Problem, 'label'>): void => void problems.push({ ...problem, label: words.look });
  const wrong = tenants.by_status.error ?? 0;
  if (wrong > 0) add({ what: words.problems.errors(wrong), to: '/tenants?status=error', bad: true });
  const { unhealthy = 0, degraded = 0 } = tenants.running_by_health;
  if (unhealthy > 0)
    add({
      what: words.problems.unhealthy(unhealthy),
      to: '/tenants?status=running&health=unhealthy',
      bad: true,
    });
  if (degraded > 0) add({ what: words.problems.degraded(degraded), to: '/tenants?status=running&health=degraded' });
  return problems;
}
