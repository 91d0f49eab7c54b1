import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import parts from '../../components/components.module.css';
import styles from './history.module.css';
import { historyText as words } from './messages.ts';
import { thisMonth } from './month.ts';
import { fleetAvailabilityQuery } from './queries.ts';
import { UptimeStrip } from './uptime-strip.tsx';

/** The availability of all tenants, and those with the lowest. */
export function FleetAvailability() {
  const { data } = useQuery(fleetAvailabilityQuery);
  if (!data || data.fleet.percent === null) return null;
  return (
    <section>
      <div className={styles.head}>
        <h2>{words.fleet}</h2>
        <Link to={`/reports/availability/${thisMonth()}`}>{words.reports}</Link>
      </div>
      <p className={parts.fine}>
        {words.fleetFigure(data.fleet.percent, data.objective)} · {words.lowest}
      </p>
      <ul className={styles.rows}>
        {data.lowest.map(({ tenant, percent, strip }) => (
          <li key={tenant.id}>
            <Link to={`/tenants/${tenant.id}`}>{tenant.name}</Link>
            <UptimeStrip
              label={words.day(tenant.name, words.percent(percent))}
              days={strip}
              objective={data.objective}
            />
            <span>{words.percent(percent)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
