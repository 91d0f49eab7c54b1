import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { Time } from '../../../components/data/time.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import styles from '../tenant.module.css';
import { deployText } from './messages.ts';

const text = deployText.changes;
/** More commits are only counted. */
const shownCommits = 8;

type Plan = Extract<components['schemas']['DeploymentPlan'], { dry_run: true }>;
type Changes = NonNullable<Plan['changes']>;

/** What a deployment changes compared to what is deployed, as its dry run reports it. */
export function DeployChanges({ id, body }: { id: string; body: { target_version?: string; target_ref?: string } }) {
  const { data, error } = useQuery({
    queryKey: ['plan', id, body],
    retry: false,
    queryFn: () =>
      dataOf(api.POST('/api/tenants/{id}/deploy', { params: { path: { id }, query: { dry_run: 'true' } }, body })),
  });
  if (error) return <ErrorNote error={error} />;
  const plan = data && 'dry_run' in data ? data : undefined;
  return (
    <section className={styles.changes} aria-label={text.title} aria-busy={!plan}>
      <h3>{text.title}</h3>
      {plan?.changes ? <Difference changes={plan.changes} migrations={plan.migrations} /> : <p>{text.reading}</p>}
    </section>
  );
}

function Difference({ changes: { commits, environment }, migrations }: { changes: Changes; migrations: string[] }) {
  const kinds = (['added', 'changed', 'removed'] as const).filter((kind) => environment[kind].length > 0);
  const isSame = commits?.added.total === 0 && commits.removed.total === 0 && kinds.length === 0;
  return (
    <>
      {isSame && <p>{text.nothing}</p>}
      {commits ? (
        <>
          <Commits range={commits.added} title={text.added} />
          <Commits range={commits.removed} title={text.removed} />
        </>
      ) : (
        <p>{text.unknown}</p>
      )}
      {kinds.map((kind) => (
        <Names key={kind} title={text.variables[kind]} names={environment[kind]} />
      ))}
      {!isSame && migrations.length > 0 && <Names title={text.migrations} names={migrations} />}
    </>
  );
}

type Range = components['schemas']['CommitRange'];

function Commits({ range: { total, commits }, title }: { range: Range; title(total: number): string }) {
  if (total === 0) return null;
  return (
    <>
      <p>{title(total)}</p>
      <ul>
        {commits.slice(0, shownCommits).map(({ commit, subject, author, date }) => (
          <li key={commit}>
            <span className={styles.mono}>{commit.slice(0, 7)}</span> {subject}{' '}
            <span className={styles.fine}>
              {author} · <Time at={date} />
            </span>
          </li>
        ))}
        {total > shownCommits && <li className={styles.fine}>{text.more(total - shownCommits)}</li>}
      </ul>
    </>
  );
}

const Names = ({ title, names }: { title: string; names: string[] }) => (
  <p>
    {title}: <span className={styles.mono}>{names.join(', ')}</span>
  </p>
);
