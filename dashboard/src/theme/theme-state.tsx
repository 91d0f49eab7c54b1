import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../api/client.ts';
import type { components } from '../api/schema.ts';
import { servicesQuery } from '../overview/queries.ts';
import { useRestart } from '../overview/use-restart.ts';
import { Button } from '../parts/button.tsx';
import { useMay } from '../session/session.tsx';
import { themeText } from '../text/theme.ts';
import styles from './theme.module.css';

type Applied = components['schemas']['ServiceDetails']['applied'];

/** Whether the site shows the saved theme, and what brings it there. */
export function ThemeState({ tenant }: { tenant: FullTenant }) {
  const { data, error } = useQuery(servicesQuery(tenant.id));
  const operator = useMay('operator');
  const { restarting, restart } = useRestart(tenant);
  if (!data) return error ? <p className={styles.state}>{themeText.stateUnknown}</p> : null;
  // While they are restarted, units may be there and not answer yet.
  const state = restarting ? 'pending_restart' : stateOf(data.applied, tenant);
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

/** What is not running gets the theme when it starts, and needs no restart. */
const stateOf = (applied: Applied, { status }: FullTenant): keyof typeof themeText.state =>
  applied === 'pending_restart' && status !== 'running' ? 'stopped' : applied;
