import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../../api/client.ts';
import { Button } from '../../components/form/button.tsx';
import { useMay } from '../accounts/session/session.tsx';
import { servicesQuery } from '../tenant/overview/queries.ts';
import { useRestart } from '../tenant/overview/use-restart.ts';
import styles from './configuration.module.css';
import { configurationText } from './messages.ts';

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
