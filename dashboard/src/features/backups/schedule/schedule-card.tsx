import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { Facts } from '../../../components/data/facts.tsx';
import { TimeAndDistance } from '../../../components/data/time.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { stateOf } from '../backup-state.tsx';
import styles from '../backups.module.css';
import { backupsText } from '../messages.ts';
import { type Backup, scheduleQuery } from '../queries.ts';
import { cronWords, keepWords } from './cron-words.ts';
import { ScheduleForm } from './schedule-form.tsx';

const texts = backupsText.summary;

/** A tenant's backup schedule and its newest backup. @param newest newest first */
export function ScheduleCard({ tenantId, newest }: { tenantId: string; newest: readonly Backup[] }) {
  const { data: schedule, error } = useQuery(scheduleQuery(tenantId));
  const operator = useHasRole('operator');
  const [editing, setEditing] = useState(false);
  if (!schedule) return <Waiting error={error} />;
  const last = newest.find((backup) => ['drilled', 'readBack'].includes(stateOf(backup)));
  const { cron, effective_cron, effective_keep, next_run_at } = schedule;
  const none = effective_cron === '';
  return (
    <section className={parts.card}>
      <div className={styles.cardHead}>
        <div>
          <h2>{none ? texts.none : texts.title}</h2>
          {none && <p className={styles.soft}>{operator ? texts.noneHint : texts.noneHintViewer}</p>}
        </div>
        {operator && <Button onClick={() => setEditing(true)}>{none ? texts.choose : texts.change}</Button>}
      </div>
      {(last || !none) && (
        <Facts
          facts={{
            [texts.when]: none ? null : (
              <span title={`${cronWords(effective_cron, 'UTC')} UTC`}>
                {cronWords(effective_cron)}
                {cron === null ? `, ${texts.asDefault}` : ''}
              </span>
            ),
            [texts.next]: next_run_at && <TimeAndDistance at={next_run_at} />,
            [texts.keep]: none ? null : keepWords(effective_keep),
            [texts.last]: last && <TimeAndDistance at={last.created_at} />,
          }}
        />
      )}
      {editing && <ScheduleForm schedule={schedule} onClose={() => setEditing(false)} />}
    </section>
  );
}
