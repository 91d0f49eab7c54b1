import { useMutation, useQuery } from '@tanstack/react-query';
import { api, dataOf, type FullTenant } from '../../../api/client.ts';
import { healthQuery, queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import parts from '../../../components/components.module.css';
import { RelativeTime } from '../../../components/data/time.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { number } from '../../../lib/figures.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import tenantStyles from '../tenant.module.css';
import { overviewText } from './messages.ts';
import styles from './overview.module.css';
import { syntheticChecksQuery } from './queries.ts';

type Checks = components['schemas']['SyntheticChecks'];
type Result = NonNullable<Checks['last_run']>['results'][number];
type Step = Result['steps'][number];

const words = overviewText.synthetic;

/** The checks with a user's steps that the running release names: their last results, step by step. */
export function SyntheticCard({ tenant: { id, status } }: { tenant: FullTenant }) {
  const operator = useHasRole('operator');
  const { data } = useQuery(syntheticChecksQuery(id));
  const run = useMutation({
    mutationFn: () => dataOf(api.POST('/api/tenants/{id}/synthetic-checks/run', { params: { path: { id } } })),
    onSuccess(found) {
      queryClient.setQueryData(syntheticChecksQuery(id).queryKey, found);
      void queryClient.invalidateQueries({ queryKey: healthQuery(id).queryKey });
      if (found.last_run?.status === 'passed') notify(words.passed);
    },
    onError: notifyError,
  });
  // Most applications have none: no card explains what is missing.
  if (!data || data.checks.length === 0) return null;
  return (
    <section className={parts.card}>
      <div className={tenantStyles.cardHead}>
        <h2>{words.title}</h2>
        {operator && status !== 'stopped' && (
          <Button onClick={() => run.mutate()} disabled={run.isPending}>
            {run.isPending ? words.running : words.run}
          </Button>
        )}
      </div>
      {data.checks.map((check) => (
        <OneCheck
          key={check.name}
          check={check}
          results={data.last_run?.results.filter(({ name }) => name === check.name) ?? []}
        />
      ))}
      <p className={styles.fine}>
        {data.last_run ? (
          <>
            {words.lastRun} <RelativeTime at={data.last_run.at} />
          </>
        ) : (
          words.never
        )}
        {' · '}
        {data.interval_minutes > 0 ? words.interval(data.interval_minutes) : words.off}
        {data.on_deploy && ` · ${words.onDeploy}`}
      </p>
    </section>
  );
}

/** A check: the failed way to the tenant if one failed, else the last one. */
function OneCheck({ check, results }: { check: Checks['checks'][number]; results: readonly Result[] }) {
  const result = results.find(({ status }) => status === 'failed') ?? results.at(-1);
  return (
    <>
      <h3 className={styles.checkName}>
        {check.name}
        {result && (
          <span className={`${styles.state} ${result.status === 'passed' ? styles.good : styles.bad}`}>
            {words.states[result.status]}
            {result.route === 'proxy' && result.status === 'failed' && ` ${words.proxied}`}
          </span>
        )}
      </h3>
      <ul className={styles.checks} aria-label={words.stepsOf(check.name)}>
        {check.steps.map((step) => (
          <OneStep key={step.name} step={step} ended={result?.steps.find(({ name }) => name === step.name)} />
        ))}
      </ul>
    </>
  );
}

function OneStep({ step, ended }: { step: Checks['checks'][number]['steps'][number]; ended: Step | undefined }) {
  const tone = { passed: styles.good, failed: styles.bad, skipped: styles.fine };
  return (
    <li>
      <span>
        {step.name}
        {step.cleanup && <span className={styles.fine}> {words.cleanup}</span>}
      </span>
      <span className={styles.fine}>
        {step.method} {step.path}
      </span>
      <span className={styles.figure}>{ended && ended.status !== 'skipped' && `${number(ended.duration_ms)} ms`}</span>
      <span className={`${styles.state} ${ended ? tone[ended.status] : ''}`}>
        {ended && words.states[ended.status]}
      </span>
      {ended?.status === 'failed' && ended.error && <span className={styles.why}>{ended.error}</span>}
    </li>
  );
}
