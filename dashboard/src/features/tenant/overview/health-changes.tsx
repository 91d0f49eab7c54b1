import { useQuery } from '@tanstack/react-query';
import { Time } from '../../../components/data/time.tsx';
import { overviewText } from './messages.ts';
import styles from './overview.module.css';
import { healthChangesQuery } from './queries.ts';

/** The last times a tenant's health changed; they outlive the manager, unlike response times. */
export function HealthChanges({ id }: { id: string }) {
  const { data } = useQuery(healthChangesQuery(id));
  if (!data) return null;
  return (
    <div className={styles.changes}>
      <h3>{overviewText.changes}</h3>
      {data.logs.length === 0 && <p className={styles.fine}>{overviewText.noChanges}</p>}
      <ul>
        {data.logs.map((entry) => (
          <li key={entry.id}>
            <span>{entry.message.replace(/^Health of \S+: /, '')}</span>
            <Time at={entry.created_at} />
          </li>
        ))}
      </ul>
    </div>
  );
}
