import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { FullTenant } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import type { components } from '../api/schema.ts';
import { servicesQuery } from '../overview/queries.ts';
import { Button } from '../parts/button.tsx';
import { useMay } from '../session/session.tsx';
import { control } from '../tenants/tenant-actions.ts';
import { themeText } from '../text/theme.ts';
import styles from './theme.module.css';

type Applied = components['schemas']['ServiceDetails']['applied'];

/** Whether the site shows the saved theme, and what brings it there. */
export function ThemeState({ tenant }: { tenant: FullTenant }) {
  const { data, error } = useQuery(servicesQuery(tenant.id));
  const operator = useMay('operator');
  const [restarting, setRestarting] = useState(false);
  if (!data) return error ? <p className={styles.state}>{themeText.stateUnknown}</p> : null;
  // While they are restarted, units may be there and not answer yet.
  const state = restarting ? 'pending_restart' : stateOf(data.applied, tenant);
  const [title, hint] = themeText.state[state];
  const restart = async (): Promise<void> => {
    setRestarting(true);
    await control('restart', tenant);
    await queryClient.invalidateQueries({ queryKey: servicesQuery(tenant.id).queryKey });
    setRestarting(false);
  };
  return (
    <div className={styles.state} data-state={state} role="status">
      <p>
        <strong>{title}</strong> {hint}
      </p>
      {state === 'pending_restart' && operator && (
        <Button onClick={() => void restart()} disabled={restarting}>
          {restarting ? themeText.restarting : themeText.restart}
        </Button>
      )}
    </div>
  );
}

/** What is not running gets the theme when it starts, and needs no restart. */
const stateOf = (applied: Applied, { status }: FullTenant): keyof typeof themeText.state =>
  applied === 'pending_restart' && status !== 'running' ? 'stopped' : applied;
