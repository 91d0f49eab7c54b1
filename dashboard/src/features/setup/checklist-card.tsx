import { queryOptions, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Link } from 'react-router';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import parts from '../../components/components.module.css';
import { Button } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { browserStore } from '../../lib/browser-store.ts';
import { useHasRole, useSession } from '../accounts/session/session.tsx';
import styles from './checklist-card.module.css';
import { setupText as words } from './messages.ts';

type Step = components['schemas']['SetupChecklist']['steps'][number];

const checklistQuery = queryOptions({
  queryKey: ['setup-checklist'],
  queryFn: async () => (await dataOf(api.GET('/api/setup-checklist'))).steps,
});

/** The users who hid the list in this browser. */
const hiddenBy = browserStore<readonly string[]>('tenantry.setup-hidden', (kept) =>
  Array.isArray(kept) ? kept.map(String) : [],
);

const places: Record<Step['key'], string> = {
  own_password: '/password',
  host_checked: '/system/check',
  second_admin: '/system/users',
  proxy_and_certificates: '/system/proxy',
  backup_schedule: '/system/settings',
  offsite_copies: '/system/settings',
  notification_channel: '/system/notifications/channels',
  first_tenant: '/tenants',
};

const allOpen = (Object.keys(places) as Step['key'][]).map((key) => ({ key, done: false }));

/**
 * What an administrator still has to set up; nothing once all is done, or when the user hid it.
 * @param closed whether it begins as a button, so that it takes no room from the page's own content
 */
export function ChecklistCard({ closed = false }: { closed?: boolean }) {
  const [open, setOpen] = useState(!closed);
  const { self } = useSession();
  const admin = useHasRole('admin');
  const hidden = hiddenBy.use();
  const shown = admin && self !== null && self !== undefined && !hidden.includes(self.id);
  const { data } = useQuery({ ...checklistQuery, enabled: shown });
  const title = useId();
  // The open list keeps its place while it loads, so that what follows it does not move.
  const steps = data ?? (open ? allOpen : undefined);
  if (!shown || !steps || steps.every(({ done }) => done)) return null;
  const progress = words.progress(steps.filter(({ done }) => done).length, steps.length);
  if (!open) return <Button onClick={() => setOpen(true)}>{words.show(progress)}</Button>;
  return (
    <section className={`${parts.card} ${styles.card}`} aria-labelledby={title} data-loading={!data || undefined}>
      <div className={styles.head}>
        <h2 id={title}>{words.title}</h2>
        <p>{progress}</p>
        <Button onClick={() => hiddenBy.set([...hidden, self.id])}>{words.dismiss}</Button>
      </div>
      <ul className={styles.steps}>
        {steps.map((step) => (
          <StepRow key={step.key} step={step} />
        ))}
      </ul>
    </section>
  );
}

function StepRow({ step: { key, done } }: { step: Step }) {
  const { title, hint, action } = words.steps[key];
  return (
    <li className={styles.step} data-done={done}>
      <span className={styles.mark}>{done && <Icon name="good" />}</span>
      <div>
        <p className={styles.title}>
          {title}
          <span className={parts.spoken}>: {done ? words.done : words.open}</span>
        </p>
        {!done && <p className={styles.hint}>{hint}</p>}
      </div>
      {!done && (
        <Link
          to={places[key]}
          state={key === 'first_tenant' ? { create: true } : null}
          aria-label={`${action}: ${title}`}
        >
          {action}
        </Link>
      )}
    </li>
  );
}
