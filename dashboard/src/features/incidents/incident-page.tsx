import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { tenantQuery } from '../../api/queries.ts';
import type { components } from '../../api/schema.ts';
import { Badge } from '../../components/data/badge.tsx';
import { Facts } from '../../components/data/facts.tsx';
import { TimeAndDistance } from '../../components/data/time.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Note } from '../../components/feedback/note.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button, ButtonLink } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { BackLink, PageHead, PagePart } from '../../components/layout/page.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import { apiSentences } from '../../lib/api-text.ts';
import { text } from '../../lib/messages.ts';
import { saveAnswer } from '../../lib/save-file.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { systemText } from '../system/messages.ts';
import { CauseCard, RemedyAction } from '../tenant/diagnosis/diagnosis-card.tsx';
import { causeText } from '../tenant/diagnosis/messages.ts';
import { timelineText } from '../timeline/messages.ts';
import { hourBeforeLink } from '../timeline/queries.ts';
import { AffectedTenants } from './affected-tenants.tsx';
import { Announcements } from './announcements.tsx';
import { subjectOf, titleOf } from './incident-item.tsx';
import styles from './incidents.module.css';
import { IncidentBadge } from './incidents-page.tsx';
import { lasted } from './lasted.ts';
import { incidentsText } from './messages.ts';
import { acknowledge, type Incident, incidentQuery } from './queries.ts';
import { Timeline } from './timeline.tsx';

type Remedy = NonNullable<components['schemas']['IncidentDiagnosis']['remedy']>;

/** An incident: its cause and duration, whom it affects, what to do, and what happened. */
export function IncidentPage() {
  const { incidentId = '' } = useParams();
  const { data: incident, error } = useQuery({ ...incidentQuery(incidentId), refetchInterval: 30_000 });
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (!incident) return <Waiting error={error} />;
  const { facts } = incidentsText;
  const diagnosis = incident.timeline.findLast((entry) => entry.diagnosis !== null)?.diagnosis;
  const tone = incident.severity === 'warning' || incident.severity === 'info' ? 'warn' : 'bad';
  const duration = lasted(incident.duration_seconds);
  return (
    <>
      <BackLink to="/incidents">{text.incidents}</BackLink>
      <PageHead
        title={titleOf(incident)}
        hint={`${subjectOf(incident)} · ${
          incident.status === 'resolved' ? incidentsText.after(duration) : incidentsText.for(duration)
        }`}
      >
        <Actions incident={incident} />
      </PageHead>
      <p className={styles.badges}>
        <IncidentBadge status={incident.status} />
        {incident.reopened > 0 && <Badge tone="warn">{incidentsText.failed(incident.reopened + 1)}</Badge>}
        {incident.in_maintenance && <Badge tone="plain">{incidentsText.inMaintenance}</Badge>}
      </p>
      {diagnosis && (
        <CauseCard
          cause={diagnosis}
          tone={tone}
          action={diagnosis.remedy && <IncidentAction incident={incident} remedy={diagnosis.remedy} />}
        />
      )}
      {!diagnosis && incident.remedy && incident.status !== 'resolved' && (
        <Note tone="warn" title={incidentsText.remedy}>
          <p>{causeText(incident.remedy, incidentsText.api)}</p>
        </Note>
      )}
      <div className={styles.facts}>
        <Facts
          facts={{
            [facts.severity]: incidentsText.severity[incident.severity],
            [facts.found]: incident.detail && apiSentences(systemText.findings, plainText(incident.detail)),
            [facts.opened]: <TimeAndDistance at={incident.opened_at} />,
            [facts.acknowledged]: incident.acknowledged_at && (
              <>
                <TimeAndDistance at={incident.acknowledged_at} /> {incidentsText.by(incident.acknowledged_by ?? '')}
              </>
            ),
            [facts.resolved]: incident.resolved_at && <TimeAndDistance at={incident.resolved_at} />,
          }}
        />
      </div>
      {incident.tenants.length > 0 && <AffectedTenants incident={incident} />}
      {incident.announcements.length > 0 && (
        <div className={styles.section}>
          <Announcements incident={incident} />
        </div>
      )}
      <div className={styles.section}>
        <PagePart title={incidentsText.timeline}>
          <ButtonLink to={hourBeforeLink(incident.opened_at, onlyTenantOf(incident))}>
            {timelineText.whatChanged}
          </ButtonLink>
        </PagePart>
        <Timeline incident={incident} />
      </div>
    </>
  );
}

/** The button for the remedy, while the incident affects one tenant alone. */
function IncidentAction({ incident: { tenants }, remedy }: { incident: Incident; remedy: Remedy }) {
  const operator = useHasRole('operator');
  const [only, ...others] = tenants.filter(({ left_at }) => left_at === null);
  const id = operator && others.length === 0 ? only?.id : undefined;
  const { data: tenant } = useQuery({ ...tenantQuery(id ?? ''), enabled: id !== undefined });
  return id && tenant ? <RemedyAction tenant={tenant} remedy={remedy} /> : null;
}

/** The tenant whose timeline shows what changed; undefined: several, or the cause is not the tenant's own. */
function onlyTenantOf({ cause, tenants: [only], tenant_count }: Incident): string | undefined {
  const isGone = only?.left_reason === 'deleted';
  return cause.scope.kind === 'tenant' && tenant_count === 1 && !isGone ? only?.id : undefined;
}

function Actions({ incident: { id, status } }: { incident: Incident }) {
  const operator = useHasRole('operator');
  const acknowledging = useMutation({
    mutationFn: () => acknowledge(id),
    onSuccess: () => notify(incidentsText.acknowledgedToast),
  });
  const exporting = useMutation({
    mutationFn: () =>
      saveAnswer(
        api.GET('/api/incidents/{id}/export', { params: { path: { id } }, parseAs: 'blob' }),
        `incident-${id}.md`,
      ),
  });
  if (!operator) return null;
  return (
    <>
      <ErrorNote error={acknowledging.error ?? exporting.error} />
      <Button onClick={() => exporting.mutate()} disabled={exporting.isPending}>
        <Icon name="download" />
        {incidentsText.export}
      </Button>
      {status === 'open' && (
        <Button variant="primary" onClick={() => acknowledging.mutate()} disabled={acknowledging.isPending}>
          {incidentsText.acknowledge}
        </Button>
      )}
    </>
  );
}
