import { useQuery } from '@tanstack/react-query';
import type { components } from '../../../api/schema.ts';
import parts from '../../../components/components.module.css';
import { Time } from '../../../components/data/time.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { number } from '../../../lib/figures.ts';
import { tenantText } from '../messages.ts';
import { overviewText } from './messages.ts';
import styles from './overview.module.css';
import { servicesQuery } from './queries.ts';

type Service = components['schemas']['ServiceDetails']['services']['frontend'];

/** Both services: since when they run or why they don't, and what they use of the host. */
export function ServicesCard({ id }: { id: string }) {
  const { data, error } = useQuery(servicesQuery(id));
  const runs = data && Object.values(data.services).some(({ state }) => state === 'active');
  return (
    <section className={parts.card}>
      <h2>{overviewText.services}</h2>
      {!data && <Waiting error={error} />}
      {data && error && <ErrorNote error={error} />}
      {data && (
        <>
          <ul className={styles.services}>
            <OneService name={overviewText.names.frontend} service={data.services.frontend} />
            <OneService name={overviewText.names.backend} service={data.services.backend} />
          </ul>
          {runs && data.applied === 'current' && <p className={styles.fine}>{overviewText.current}</p>}
          {runs && data.applied === 'pending_restart' && <p className={styles.pending}>{overviewText.pending}</p>}
        </>
      )}
    </section>
  );
}

/** Share of its limit above which the engine may soon kill a service. */
const nearlyFull = 0.9;

function OneService({ name, service }: { name: string; service: Service }) {
  const { state, started_at, reason, gave_up, cpu_percent, memory_bytes: used, memory_limit_bytes: limit } = service;
  const share = used !== null && limit ? used / limit : undefined;
  return (
    <li>
      <strong>{name}</strong>
      <span className={`${styles.state} ${state === 'active' ? styles.good : reason ? styles.bad : styles.warn}`}>
        {tenantText.states[state]}
      </span>
      {state === 'active' && (
        <span className={styles.use}>
          <span>
            {overviewText.cpu} <b>{cpu_percent === null ? overviewText.unknown : overviewText.cpuOf(cpu_percent)}</b>
          </span>
          <span>
            {overviewText.memory} <b>{memoryOf(used, limit)}</b>
          </span>
          {started_at && (
            <span>
              {overviewText.since} <Time at={started_at} />
            </span>
          )}
        </span>
      )}
      {share !== undefined && (
        <div className={styles.track} aria-hidden="true">
          <div style={{ width: `${Math.min(100, share * 100)}%` }} data-full={share >= nearlyFull || undefined} />
        </div>
      )}
      {reason && (
        <span className={styles.why}>
          {reason}
          {gave_up && ` ${overviewText.gaveUp}`}
        </span>
      )}
    </li>
  );
}

function memoryOf(used: number | null, limit: number | null): string {
  if (used === null) return overviewText.unknown;
  return limit === null ? bytes(used) : overviewText.memoryOf(bytes(used), bytes(limit));
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes in powers of 1,024, like the limits: 61 MB, 1.5 GB. */
function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  const amount = count / 1024 ** power;
  return `${number(amount, amount < 10 && power > 1 ? 1 : 0)} ${units[power]}`;
}
