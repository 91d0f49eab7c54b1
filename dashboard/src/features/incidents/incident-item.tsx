import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { RelativeTime } from '../../components/data/time.tsx';
import { Note } from '../../components/feedback/note.tsx';
import { ButtonLink } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import home from '../home/home.module.css';
import { knownText } from '../tenant/diagnosis/causes.ts';
import { causeText } from '../tenant/diagnosis/messages.ts';
import { incidentsText } from './messages.ts';
import { type IncidentSummary, openIncidentsQuery } from './queries.ts';

/** An incident's cause in the user's language. */
export const titleOf = ({ title, cause }: Pick<IncidentSummary, 'title' | 'cause'>): string =>
  knownText(cause, 'title') ?? causeText(title, incidentsText.api);

/** Whom it affects: a tenant, several, or the manager. */
export function subjectOf({ tenant_count, tenants }: IncidentSummary): string {
  const [only] = tenants;
  if (tenant_count === 0) return incidentsText.manager;
  return tenant_count === 1 && only ? only.name : incidentsText.tenants(tenant_count);
}

/** An open incident in the list of what needs attention. */
export function IncidentItem({ incident }: { incident: IncidentSummary }) {
  const tone = incident.severity === 'warning' || incident.severity === 'info' ? 'warn' : 'bad';
  const page = `/incidents/${incident.id}`;
  return (
    <li data-tone={tone}>
      <Icon name={tone} />
      <div>
        <Link to={page} className={home.name}>
          {subjectOf(incident)}
        </Link>
        <span className={home.kind}>
          {incident.status === 'open' ? incidentsText.kind : incidentsText.status[incident.status]}
        </span>
        <span className={home.since}>
          <RelativeTime at={incident.opened_at} />
        </span>
        <p>{titleOf(incident)}</p>
      </div>
      <ButtonLink to={page} aria-label={incidentsText.viewOf(titleOf(incident))}>
        {incidentsText.view}
      </ButtonLink>
    </li>
  );
}

/** A tenant's open incident, if it has one. */
export function OpenIncident({ tenantId }: { tenantId: string }) {
  const { data } = useQuery(openIncidentsQuery);
  const incident = data?.incidents.find(({ tenants }) => tenants.some(({ id }) => id === tenantId));
  if (!incident) return null;
  return (
    <Note
      tone="bad"
      title={incidentsText.openOfTenant}
      actions={<ButtonLink to={`/incidents/${incident.id}`}>{incidentsText.view}</ButtonLink>}
    >
      <p>
        {titleOf(incident)} (<RelativeTime at={incident.opened_at} />)
      </p>
    </Note>
  );
}
