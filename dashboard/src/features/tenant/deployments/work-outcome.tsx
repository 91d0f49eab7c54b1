import { useQuery } from '@tanstack/react-query';
import type { Deployment, FullTenant } from '../../../api/client.ts';
import { Note } from '../../../components/feedback/note.tsx';
import { ButtonLink, OutLink } from '../../../components/form/button.tsx';
import { reportQuery } from '../../upgrades/single/queries.ts';
import { knownText } from '../diagnosis/causes.ts';
import { Evidence } from '../diagnosis/diagnosis-card.tsx';
import { causeText, remedyText } from '../diagnosis/messages.ts';
import { siteOf } from '../next-action.tsx';
import { stepName } from './messages.ts';
import { outcomeText } from './outcome-messages.ts';
import { UpgradeOutcome } from './upgrade-outcome.tsx';

/** The outcome of an operation, and where to continue. */
export function WorkOutcome({ work, tenant }: { work: Deployment; tenant: FullTenant }) {
  const { kind } = work;
  if (work.status === 'cancelled' && work.put_back !== false)
    return (
      <Note tone="plain" title={outcomeText.cancelled}>
        {tenant.deployed_at ? outcomeText.cancelledAgain : outcomeText.cancelledFirst}
      </Note>
    );
  if (kind === 'upgrade' || kind === 'rehearsal') return <OfVersion work={work} />;
  if (kind === 'restore' || kind === 'backup' || kind === 'drill') return <OfBackup work={work} />;
  if (work.status === 'success') return kind === 'deploy' && <Deployed work={work} tenant={tenant} />;
  return work.error && <Failed work={work} title={outcomeText.failedAt(stepName(work.error.step))} />;
}

function OfVersion({ work }: { work: Deployment }) {
  const { data: report } = useQuery(reportQuery(work.tenant_id, work.id));
  if (!report) return null;
  const place = `/tenants/${work.tenant_id}/upgrade`;
  if (report.kind === 'upgrade') {
    const actions = <ButtonLink to={place}>{outcomeText.toUpgrade}</ButtonLink>;
    return <UpgradeOutcome report={report} error={work.error} actions={actions} />;
  }
  const { rehearsed, failure, new_version } = report;
  const texts = outcomeText.rehearsal;
  const version = new_version ?? outcomeText.head;
  const title = rehearsed ? (rehearsed.ok ? texts.ok(version) : texts.failed(version)) : texts.broken;
  return (
    <Note
      tone={rehearsed?.ok ? 'good' : 'warn'}
      title={title}
      actions={<ButtonLink to={`${place}?rehearsal=${work.id}`}>{texts.report}</ButtonLink>}
    >
      {failure?.reason ?? texts.hint}
    </Note>
  );
}

function OfBackup({ work }: { work: Deployment }) {
  const toBackups = <ButtonLink to={`/tenants/${work.tenant_id}/backups`}>{outcomeText.toBackups}</ButtonLink>;
  const { restore, drill, backup } = outcomeText;
  const isUnsaved = work.steps.some(({ name, status }) => name === 'Safety backup' && status === 'skipped');
  if (work.status === 'success') {
    const { done, doneHint } = { restore, drill, backup }[work.kind as 'restore' | 'drill' | 'backup'];
    // A stopped tenant stays stopped and was not checked.
    const lookedAt = work.steps.some(({ name, status }) => name === 'Health check' && status === 'success');
    return (
      <Note tone="good" title={lookedAt ? restore.healthy : done} actions={toBackups}>
        {isUnsaved ? restore.unsaved : doneHint}
      </Note>
    );
  }
  if (work.kind === 'backup') return <Failed work={work} title={backup.failed} actions={toBackups} />;
  if (work.kind === 'drill') return <Failed work={work} title={drill.failed} actions={toBackups} />;
  if (work.put_back !== false) return <Failed work={work} title={restore.rolledBack} actions={toBackups} />;
  return (
    <Failed
      work={work}
      title={restore.notBack}
      hint={isUnsaved ? restore.unsaved : restore.notBackHint}
      actions={toBackups}
    />
  );
}

function Deployed({ work: { version, ref, commit, steps }, tenant }: { work: Deployment; tenant: FullTenant }) {
  const isProven = steps.some(({ name, status }) => name === 'Health check' && status === 'success');
  const name = version ?? ref ?? commit?.slice(0, 10) ?? '';
  if (!isProven) return <Note tone="good" title={outcomeText.prepared(name)} />;
  const site = tenant.status === 'running' && (
    <OutLink variant="primary" href={siteOf(tenant)}>
      {outcomeText.openSite}
    </OutLink>
  );
  return (
    <Note tone="good" title={outcomeText.deployed(name)} actions={site}>
      {outcomeText.deployedHint}
    </Note>
  );
}

interface FailedProps {
  work: Deployment;
  title: string;
  hint?: string;
  actions?: React.ReactNode;
}

/** The failure: first its cause, if found, then the evidence. */
function Failed({ work: { error }, title, hint, actions }: FailedProps) {
  const cause = error?.cause;
  const message = cause
    ? (knownText(cause, 'remedy') ?? (cause.remedy && remedyText(cause.remedy)))
    : error && `${stepName(error.step)}: ${causeText(error.message)}`;
  return (
    <Note tone="bad" title={cause ? (knownText(cause, 'title') ?? causeText(cause.title)) : title} actions={actions}>
      {message && <span>{message}</span>}
      {cause?.diagnosis && <Evidence {...cause.diagnosis} />}
      {error?.detail && (
        <span>
          <small>
            {cause ? `${title} · ` : ''}
            {error.detail}
          </small>
        </span>
      )}
      {hint && <span>{hint}</span>}
    </Note>
  );
}
