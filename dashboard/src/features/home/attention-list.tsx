import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import type { Attention } from '../../api/queries.ts';
import { RelativeTime } from '../../components/data/time.tsx';
import { Button, ButtonLink } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { number } from '../../lib/figures.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import { IncidentItem } from '../incidents/incident-item.tsx';
import { problemsOf } from '../system/problems.ts';
import { withStepName } from '../tenant/deployments/messages.ts';
import { causeText } from '../tenant/diagnosis/messages.ts';
import styles from './home.module.css';
import { homeText } from './messages.ts';
import { type AttentionWithIncidents, countOf } from './with-incidents.ts';

/** How many items are shown at first. */
const shownAtFirst = 12;

/** What needs attention, each with its cause and one action. */
export function AttentionList({ found }: { found: AttentionWithIncidents }) {
  const { incidents, items, behind, system } = found;
  const [all, setAll] = useState(false);
  const count = countOf(found);
  if (count === 0 && !behind)
    return (
      <p className={styles.quiet}>
        <Icon name="good" /> {homeText.quiet}
      </p>
    );
  const shown = all ? items : items.slice(0, shownAtFirst);
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">
        {homeText.needsAttention} {count > 0 && <span className={styles.count}>{number(count)}</span>}
      </h2>
      <ul className={styles.items}>
        {incidents.map((incident) => (
          <IncidentItem key={incident.id} incident={incident} />
        ))}
        {problemsOf(system).map(({ what, to, label, bad }) => (
          <li key={what} data-tone={bad ? 'bad' : 'warn'}>
            <Icon name={bad ? 'bad' : 'warn'} />
            <div>
              <strong>{homeText.system}</strong>
              <p>{what}</p>
            </div>
            <ButtonLink to={to}>{label}</ButtonLink>
          </li>
        ))}
        {shown.map((item) => (
          <Item key={`${item.kind} ${item.tenant.id}`} item={item} />
        ))}
        {behind && <BehindItem behind={behind} />}
      </ul>
      {shown.length < items.length && (
        <Button variant="quiet" onClick={() => setAll(true)}>
          {homeText.more(items.length - shown.length)}
        </Button>
      )}
    </section>
  );
}

type AttentionItem = Attention['items'][number];

const tones: Record<AttentionItem['kind'], 'bad' | 'warn' | 'plain'> = {
  data_missing: 'bad',
  unhealthy: 'bad',
  not_running: 'bad',
  deployment_failed: 'bad',
  dns_missing: 'bad',
  dns_elsewhere: 'warn',
  redirects_to_itself: 'warn',
  api_key_refused: 'warn',
  degraded: 'warn',
  backup_failed: 'warn',
  backup_missing: 'warn',
  certificate: 'warn',
  stopped: 'plain',
};

function Item({ item }: { item: AttentionItem }) {
  const { kind, tenant, cause, since } = item;
  return (
    <li data-tone={tones[kind]}>
      <Icon name={tones[kind]} />
      <div>
        <Link to={`/tenants/${tenant.id}`} className={styles.name}>
          {tenant.name}
        </Link>
        <span className={styles.kind}>{homeText.kinds[kind]}</span>
        {since && (
          <span className={styles.since}>
            <RelativeTime at={since} />
          </span>
        )}
        <p>{withStepName(causeText(cause))}</p>
      </div>
      <Action item={item} />
    </li>
  );
}

/** Loaded when there is one: it brings the texts of other pages. */
const ImmediateAction = lazy(async () => ({
  default: (await import('./immediate-action.tsx')).ImmediateAction,
}));

/** What an operator does about it; users without that role see the place. */
function Action({ item: { kind, tenant, operation_id } }: { item: AttentionItem }) {
  const operator = useHasRole('operator');
  const labelOf = (label: string) => ({ 'aria-label': `${label}: ${tenant.name}`, children: label });
  if (operator && (kind === 'stopped' || kind === 'backup_missing')) {
    const label = labelOf(homeText.actions[kind]);
    return (
      <Suspense fallback={<Button {...label} disabled />}>
        <ImmediateAction kind={kind} tenant={tenant} label={label} />
      </Suspense>
    );
  }
  const page = `/tenants/${tenant.id}`;
  const places: Partial<Record<AttentionItem['kind'], string>> = {
    data_missing: `${page}/backups`,
    unhealthy: `${page}/logs`,
    deployment_failed: `${page}/deployments/${operation_id ?? ''}`,
    backup_failed: `${page}/backups`,
    backup_missing: `${page}/backups`,
    ...(operator ? { certificate: `/system/proxy/${tenant.id}` } : {}),
  };
  const byOperator = kind === 'stopped' || kind === 'backup_missing' || kind === 'certificate';
  return (
    <ButtonLink
      {...labelOf(byOperator && !operator ? homeText.look : homeText.actions[kind])}
      to={places[kind] ?? page}
    />
  );
}

/** All tenants that could be upgraded, as one item. */
function BehindItem({ behind: { count, version } }: { behind: NonNullable<Attention['behind']> }) {
  const operator = useHasRole('operator');
  return (
    <li data-tone="plain">
      <Icon name="plain" />
      <div>
        <Link to="/tenants?update=available" className={styles.name}>
          {homeText.versions}
        </Link>
        <p>{homeText.behind(count, version)}</p>
      </div>
      {operator && <ButtonLink to="/upgrades/new">{homeText.upgrade}</ButtonLink>}
    </li>
  );
}
