import { useQuery } from '@tanstack/react-query';
import parts from '../../components/components.module.css';
import { Facts } from '../../components/data/facts.tsx';
import { sizeText } from '../../components/data/size.ts';
import { Time } from '../../components/data/time.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { systemText as words } from './messages.ts';
import { diskQuery, type SystemDisk } from './queries.ts';
import styles from './system.module.css';

/** Disk usage. */
export function DiskCard() {
  const { data: disk, error } = useQuery(diskQuery);
  return (
    <section className={parts.card}>
      <div className={styles.cardHead}>
        <h2>{words.disk}</h2>
        {disk && (
          <span className={styles.fine}>{words.free(sizeText(disk.free_bytes), sizeText(disk.total_bytes))}</span>
        )}
      </div>
      {!disk && (error ? <Waiting error={error} /> : <p className={styles.fine}>{words.measuring}</p>)}
      {disk && <DiskFacts disk={disk} />}
    </section>
  );
}

const DiskFacts = ({
  disk: {
    directory,
    total_bytes,
    free_bytes,
    needed_bytes,
    engine_disks,
    build_cache_bytes,
    parts: taken,
    measured_at,
  },
}: {
  disk: SystemDisk;
}) => (
  <>
    <Bar label={words.used} share={(total_bytes - free_bytes) / Math.max(1, total_bytes)} />
    <Facts
      facts={{
        [words.directory]: <span className={styles.mono}>{directory}</span>,
        [words.needed]: sizeText(needed_bytes),
        ...Object.fromEntries(
          engine_disks.map(({ place, free_bytes: free }) => [words.engineFree(place), sizeText(free)]),
        ),
        ...(build_cache_bytes === null ? {} : { [words.buildCache]: sizeText(build_cache_bytes) }),
      }}
    />
    <h3 className={styles.sub}>{words.takes}</h3>
    {taken === null && <p className={styles.fine}>{words.unmeasured}</p>}
    {taken && (
      <ul className={styles.taken}>
        {taken.map(({ name, bytes: size }) => (
          <li key={name}>
            <span>{words.parts[name]}</span>
            <span className={styles.figure}>{sizeText(size)}</span>
            <Bar label={words.parts[name]} share={size / Math.max(1, taken[0]?.bytes ?? 1)} />
          </li>
        ))}
      </ul>
    )}
    <p className={styles.fine}>
      {words.measured} <Time at={measured_at} />
    </p>
  </>
);

const Bar = ({ label, share }: { label: string; share: number }) => (
  <meter className={styles.bar} aria-label={label} min={0} max={1} value={share}>
    {Math.round(share * 100)} %
  </meter>
);
