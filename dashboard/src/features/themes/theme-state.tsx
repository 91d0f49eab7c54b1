import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { Button } from '../../components/form/button.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { servicesQuery } from '../tenant/overview/queries.ts';
import { useRestart } from '../tenant/overview/use-restart.ts';
import { themeText } from './messages.ts';
import { themeQuery } from './queries.ts';
import styles from './theme.module.css';

type Services = components['schemas']['ServiceDetails'];

/** Whether the site shows the saved theme, and how to apply it. */
export function ThemeState({ tenant }: { tenant: FullTenant }) {
  const { data, error } = useQuery(servicesQuery(tenant.id));
  const operator = useHasRole('operator');
  const { restarting, restart } = useRestart(tenant);
  // During a restart, units may exist but not answer yet.
  const { data: theme } = useQuery(themeQuery(tenant.id));
  if (!data || !theme) return error ? <p className={styles.state}>{themeText.stateUnknown}</p> : null;
  const state = restarting ? 'pending_restart' : stateOf(data, theme.changed_at, tenant);
  const [title, hint] = themeText.state[state];
  return (
    <div className={styles.state} data-state={state} role="status">
      <p>
        <strong>{title}</strong> {hint}
      </p>
      {state === 'pending_restart' && operator && (
        <Button onClick={restart} disabled={restarting}>
          {restarting ? themeText.restarting : themeText.restart}
        </Button>
      )}
    </div>
  );
}

/**
 * Whether the theme needs a restart to apply; other configuration changes may need one, too.
 * A stopped service gets the theme when it starts and needs no restart.
 */
function stateOf(
  { applied, services }: Services,
  changedAt: string | null,
  { status }: FullTenant,
): keyof typeof themeText.state {
  if (applied !== 'pending_restart') return applied;
  if (status !== 'running') return 'stopped';
  const starts = [services.frontend.started_at, services.backend.started_at];
  const hasTheme = changedAt === null || starts.every((at) => at !== null && at > changedAt);
  return hasTheme ? 'current' : 'pending_restart';
}
