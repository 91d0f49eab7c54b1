import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import parts from '../../components/components.module.css';
import { Facts } from '../../components/data/facts.tsx';
import { downTime } from './down-time.ts';
import styles from './history.module.css';
import { historyText as words } from './messages.ts';
import { monthName } from './month.ts';
import { availabilityQuery } from './queries.ts';
import { UptimeStrip } from './uptime-strip.tsx';

/** A tenant's availability: 90 days as a strip, and what is left of the month's error budget. */
export function AvailabilityCard({ id }: { id: string }) {
  const { data } = useQuery(availabilityQuery(id));
  if (!data) return null;
  const { month, objective } = data;
  const budget =
    month.left < 0
      ? words.overBudget(downTime(month.used), downTime(month.budget))
      : words.budget(downTime(month.left), downTime(month.budget));
  return (
    <section className={parts.card}>
      <h2>{words.availability}</h2>
      <UptimeStrip
        label={`${words.strip}: ${words.percent(data.last_90d.percent)}`}
        days={data.strip}
        objective={objective}
      />
      <Facts
        facts={{
          [words.last24h]: words.percent(data.last_24h.percent),
          [words.last30d]: words.percent(data.last_30d.percent),
          [words.last90d]: words.percent(data.last_90d.percent),
          [words.month(monthName(month.name))]: budget,
        }}
      />
      <p className={parts.fine}>
        {words.objective(objective)} ·{' '}
        <Link className={styles.report} to={`/reports/availability/${month.name}`}>
          {words.reports}
        </Link>
      </p>
    </section>
  );
}
