import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../api/client.ts';
import { servicesQuery } from '../overview/queries.ts';
import { useRestart } from '../overview/use-restart.ts';
import { Button } from '../parts/button.tsx';
import { useMay } from '../session/session.tsx';
import { configurationText } from '../text/configuration.ts';
import styles from './configuration.module.css';

const words = configurationText.pending;

/** That what is saved is not what runs, and the way to change that; nothing where it is. */
export function PendingNote({ tenant }: { tenant: FullTenant }) {
  const { id, deployed_at, status } = tenant;
  const operator = useMay('operator');
  const { restarting, restart } = useRestart(tenant);
  const { data } = useQuery({ ...servicesQuery(id), enabled: deployed_at !== null });
  const pending = data?.applied === 'pending_restart' && status === 'running';
  return (
    <div role="status">
      {pending && (
        <div className={styles.pending}>
          <div>
            <strong>{words.title}</strong>
            <p>{operator ? words.hint : words.viewerHint}</p>
          </div>
          {operator && (
            <Button disabled={restarting} onClick={restart}>
              {restarting ? words.restarting : words.restart}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
