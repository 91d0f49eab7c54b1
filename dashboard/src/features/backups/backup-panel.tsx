import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { DeploymentSummary } from '../../api/client.ts';
import { Progress } from '../../components/data/progress.tsx';
import { sizeText } from '../../components/data/size.ts';
import { duration, timeText } from '../../components/data/time.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { Note } from '../../components/feedback/note.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { Overlay } from '../../components/layout/overlays.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { useTenant } from '../tenant/tenant-page.tsx';
import { useBackupActions } from './actions.ts';
import { BackupFacts } from './backup-facts.tsx';
import { stateOf } from './backup-state.tsx';
import styles from './backups.module.css';
import { BackupDialog, type PendingAction } from './dialogs/backup-dialog.tsx';
import { backupsText } from './messages.ts';
import { type Backup, backupQuery } from './queries.ts';

const texts = backupsText.panel;

interface BackupPanelProps {
  backupId: string;
  /** The tenant's running operation. */
  work: DeploymentSummary | undefined;
  onClose(): void;
}

/** A backup's details and actions. */
export function BackupPanel({ backupId, work, onClose }: BackupPanelProps) {
  const tenant = useTenant();
  const { data: backup, error } = useQuery(backupQuery(tenant.id, backupId));
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <Overlay
      place="side"
      title={backup && !gone ? texts.title(timeText(backup.created_at)) : backupsText.title}
      onClose={onClose}
    >
      <div className={styles.panel}>
        {gone && <Empty title={texts.gone} hint={texts.goneHint} />}
        {!backup && !gone && <Waiting error={error} />}
        {backup && !gone && <Known backup={backup} work={work} onRemoved={onClose} />}
      </div>
    </Overlay>
  );
}

function Known({ backup, work, onRemoved }: Pick<BackupPanelProps, 'work'> & { backup: Backup; onRemoved(): void }) {
  const [asked, setAsked] = useState<PendingAction>();
  const admin = useHasRole('admin');
  const actions = useBackupActions(backup, { busy: work !== undefined, ask: setAsked });
  return (
    <>
      <Verdict backup={backup} />
      {backup.loss && <LossNote loss={backup.loss} />}
      {work && <WaitNote work={work} />}
      {actions.length > 0 && (
        <div className={styles.actions}>
          {actions.map(({ label, act, disabled = false }) => (
            <Button key={label} onClick={act} disabled={disabled}>
              {label}
            </Button>
          ))}
        </div>
      )}
      {!admin && <p className={styles.fine}>{texts.askAdmin}</p>}
      <BackupFacts backup={backup} />
      {asked && <BackupDialog what={asked} backup={backup} onClose={() => setAsked(undefined)} onRemoved={onRemoved} />}
    </>
  );
}

/** Whether the backup is verified, and how. */
function Verdict({ backup }: { backup: Backup }) {
  const { drill, error } = backup;
  switch (stateOf(backup)) {
    case 'creating':
      return (
        <Note tone="plain" title={texts.creating}>
          {texts.creatingHint}
        </Note>
      );
    case 'failed':
      return (
        <Note tone="bad" title={texts.failed}>
          {error}
        </Note>
      );
    case 'damaged':
      return (
        <Note tone="bad" title={texts.damaged}>
          <span>{texts.damagedHint}</span>
          <ul className={styles.found}>
            {drill?.differences.map((difference) => (
              <li key={difference}>{difference}</li>
            ))}
          </ul>
        </Note>
      );
    case 'less':
      return null;
    case 'drilled':
      return (
        <Note tone="good" title={texts.drilled}>
          {texts.drilledHint(duration(drill?.duration_seconds ?? 0))}
        </Note>
      );
    case 'readBack':
      return (
        <Note tone="plain" title={texts.readBack}>
          {texts.readBackHint}
        </Note>
      );
  }
}

/** Far fewer rows or bytes than in the backup before. */
function LossNote({ loss: { tables, bytes, confirmed_by: by } }: { loss: NonNullable<Backup['loss']> }) {
  return (
    <Note tone={by === null ? 'bad' : 'plain'} title={texts.lost}>
      <span>{by === null ? texts.lostHint : texts.confirmed(by)}</span>
      <ul className={styles.found}>
        {tables.map(({ table, before, after }) => (
          <li key={table}>{texts.lostRows(table, before, after)}</li>
        ))}
        {bytes && <li>{`${sizeText(bytes.before)} → ${sizeText(bytes.after)}`}</li>}
      </ul>
    </Note>
  );
}

function WaitNote({ work }: { work: DeploymentSummary }) {
  const { backup, drill, restore, other } = backupsText.underWay;
  const [title, hint] = { backup, drill, restore }[work.kind] ?? other;
  return (
    <div className={styles.waitFor} role="status">
      <strong>{title}</strong>
      <span className={styles.fine}>{hint}</span>
      <Progress label={title} {...(work.progress_percent > 0 ? { percent: work.progress_percent } : {})} />
    </div>
  );
}
