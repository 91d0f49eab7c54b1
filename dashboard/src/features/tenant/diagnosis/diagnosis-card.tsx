import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import type { FullTenant } from '../../../api/client.ts';
import { type Attention, attentionQuery } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import { clockText, TimeAndDistance } from '../../../components/data/time.tsx';
import { Button, ButtonLink } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { controlConfirmation } from '../../tenants/tenant-actions.ts';
import { timelineText } from '../../timeline/messages.ts';
import { hourBeforeLink } from '../../timeline/queries.ts';
import { openDeployDialog } from '../deployments/deploy-button.tsx';
import { overviewText } from '../overview/messages.ts';
import { knownText } from './causes.ts';
import styles from './diagnosis.module.css';
import { causeText, diagnosisText as words } from './messages.ts';
import { diagnosisQuery } from './queries.ts';

type Cause = NonNullable<components['schemas']['Diagnosis']['cause']>;
/** What a card shows of a cause, or of one that is not known. */
type ShownCause = Omit<components['schemas']['IncidentDiagnosis'], 'code' | 'confidence'> & {
  code?: string;
  confidence: keyof typeof words.evidence;
};
type Action = NonNullable<NonNullable<Cause['remedy']>['action']>;
type Remedy = NonNullable<components['schemas']['IncidentDiagnosis']['remedy']>;

/** Kinds of items about tenants whose health checks pass. */
const unseenFaults: ReadonlySet<Attention['items'][number]['kind']> = new Set([
  'dns_missing',
  'dns_elsewhere',
  'redirects_to_itself',
  'api_key_refused',
]);

/** Why a deployed tenant is not well, for its headline; undefined: it is well, or was not diagnosed yet. */
export function useCause({ id, deployed_at, status, health_status }: FullTenant): ShownCause | undefined {
  const isUnwell = status === 'error' || (status === 'running' && /^(unhealthy|degraded)$/.test(health_status));
  const { data: attention } = useQuery(attentionQuery);
  const hasUnseenFault = attention?.items.some(({ kind, tenant }) => tenant.id === id && unseenFaults.has(kind));
  const enabled = deployed_at !== null && (isUnwell || hasUnseenFault === true);
  const { data } = useQuery({ ...diagnosisQuery(id), enabled });
  if (!enabled || !data) return undefined;
  if (data.cause) return data.cause;
  if (data.known || data.evidence.length === 0) return undefined;
  const remedy = { text: words.unknown.remedy, action: null, link: `/tenants/${id}/logs` };
  const scope = { kind: 'tenant', name: id };
  return {
    title: words.unknown.title,
    confidence: 'unknown',
    evidence: data.evidence,
    consequences: [],
    scope,
    remedy,
  };
}

/** What other tenants use, too: its cause may be in the timeline of all. */
const ofHost: ReadonlySet<string> = new Set(['engine', 'node', 'proxy', 'disk', 'database_server']);

/** A tenant's cause, with buttons that do what is proposed. */
export function DiagnosisCard({ tenant, cause }: { tenant: FullTenant; cause: ShownCause }) {
  const isDown = tenant.status === 'error' || tenant.health_status === 'unhealthy';
  const operator = useHasRole('operator');
  return (
    <CauseCard
      cause={cause}
      tone={isDown ? 'bad' : 'warn'}
      isAlarm={isDown}
      since={<UnwellSince tenant={tenant} isOfHost={ofHost.has(cause.scope.kind)} />}
      action={operator && cause.remedy && <RemedyAction tenant={tenant} remedy={cause.remedy} />}
    />
  );
}

/** The cause, what it means for visitors, the evidence, and one remedy. */
export function CauseCard({
  cause: { code = '', params = {}, title, consequences, evidence, confidence, scope, remedy },
  tone,
  isAlarm = false,
  since,
  action,
}: {
  cause: ShownCause;
  tone: 'warn' | 'bad';
  isAlarm?: boolean;
  since?: ReactNode;
  /** A button for the remedy. */
  action?: ReactNode;
}) {
  return (
    <section
      className={styles.diagnosis}
      aria-label={words.label}
      data-tone={tone}
      role={isAlarm ? 'alert' : undefined}
    >
      <div className={styles.head}>
        <h2>{knownText({ code, params }, 'title') ?? causeText(title)}</h2>
        {[
          ...consequences.map((text) => causeText(text)),
          ...(scope.kind === 'version' ? [words.scopes.version(scope.name)] : []),
        ].map((text) => (
          <p key={text}>{text}</p>
        ))}
        {since}
      </div>
      <div className={styles.body}>
        <Evidence confidence={confidence} evidence={evidence} />
        {remedy && (
          <div className={styles.fix}>
            <h3>{words.fix}</h3>
            <p>{knownText({ code, params }, 'remedy') ?? causeText(remedy.text)}</p>
            <div className={styles.actions}>
              {action}
              {remedy.link && !(action && remedy.action === 'rollback') && (
                <ButtonLink to={remedy.link}>{words.toPage}</ButtonLink>
              )}
            </div>
          </div>
        )}
      </div>
    </section>
  );
}

/** The facts from which a cause was derived, with their sources and times; viewers may see none. */
export function Evidence({ confidence, evidence }: Pick<ShownCause, 'confidence' | 'evidence'>) {
  if (evidence.length === 0) return null;
  return (
    <div className={styles.facts}>
      <h3>{words.evidence[confidence]}</h3>
      <ul className={styles.evidence}>
        {evidence.map(({ fact, source, at }) => (
          <li key={`${source} ${fact}`}>
            <time dateTime={at}>{clockText(at)}</time>
            <span>{causeText(fact)}</span>
            <span className={styles.source}>{causeText(source)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Since when a tenant is not well, and what changed in the hour before: at the tenant, or for causes of the host at all. */
export function UnwellSince({ tenant, isOfHost = false }: { tenant: FullTenant; isOfHost?: boolean }) {
  const { id, health_status: health, health_since: since } = tenant;
  if (since === null || (health !== 'unhealthy' && health !== 'degraded')) return null;
  return (
    <p>
      {overviewText.unwell.since[health]} <TimeAndDistance at={since} />{' '}
      <Link to={hourBeforeLink(since, isOfHost ? undefined : id)}>{timelineText.whatChanged}</Link>
    </p>
  );
}

/** The button that does what is proposed, if one can. */
export function RemedyAction({ tenant, remedy: { action, link } }: { tenant: FullTenant; remedy: Remedy }) {
  const navigate = useNavigate();
  const act: Record<Action, () => void> = {
    start: () => controlConfirmation('start', tenant),
    restart: () => controlConfirmation('restart', tenant),
    redeploy: () => openDeployDialog(tenant),
    rollback: () => void navigate(link ?? `/tenants/${tenant.id}/deployments`),
    repair_site: () => void navigate('/system/proxy'),
  };
  const known = (Object.keys(act) as Action[]).find((one) => one === action);
  if (!known) return null;
  return (
    <Button variant="primary" onClick={act[known]}>
      {words.actions[known]}
    </Button>
  );
}
