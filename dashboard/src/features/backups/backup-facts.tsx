import { Facts } from '../../components/data/facts.tsx';
import { sizeText } from '../../components/data/size.ts';
import { duration, Time } from '../../components/data/time.tsx';
import { number } from '../../lib/figures.ts';
import { text } from '../../lib/messages.ts';
import styles from './backups.module.css';
import { backupsText } from './messages.ts';
import type { Backup } from './queries.ts';
import { rowsOf } from './rows.ts';

const texts = backupsText.panel;

export function BackupFacts({ backup }: { backup: Backup }) {
  const { status, kind, created_by, duration_seconds, version, commit, engine, size_bytes, verified_at } = backup;
  const { row_counts, backup_path, sha256 } = backup;
  const rows = rowsOf(backup);
  const tables = Object.entries(row_counts ?? {}).sort(([one], [other]) => one.localeCompare(other));
  return (
    <>
      <Facts
        facts={{
          [texts.facts.why]: backupsText.kinds[kind],
          [texts.facts.by]: created_by,
          [texts.facts.took]: duration_seconds === null ? null : duration(duration_seconds),
          [texts.facts.version]: (
            <>
              {version ?? ''} <span className={styles.mono}>{commit.slice(0, 10)}</span>
            </>
          ),
          [texts.facts.database]: engine ? texts.engines[engine] : text.none,
          [texts.facts.size]: size_bytes === null ? null : sizeText(size_bytes),
          [texts.facts.rows]: rows === null ? null : `${backupsText.rows(rows)}, ${backupsText.tables(tables.length)}`,
          [texts.facts.notCovered]: backup.not_covered?.length
            ? backup.not_covered.map(({ code, table }) => texts.notCovered[code](table)).join('; ')
            : null,
          [texts.facts.checked]: verified_at && <Time at={verified_at} />,
          [texts.facts.copy]: backup.remote && <Copy copy={backup.remote} />,
          [texts.facts.place]:
            status === 'failed' || backup_path === null ? null : <span className={styles.mono}>{backup_path}</span>,
          [texts.facts.sha256]: sha256 && <span className={styles.mono}>{sha256}</span>,
        }}
      />
      {tables.length > 0 && (
        <details className={styles.tables}>
          <summary>{texts.tableRows}</summary>
          <dl>
            {tables.map(([table, count]) => (
              <div key={table}>
                <dt>{table}</dt>
                <dd>{number(count)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

/** Where its off-site copy is, or why there is none. */
const Copy = ({ copy: { state, bucket, error } }: { copy: NonNullable<Backup['remote']> }) => (
  <>
    {texts.copies[state](bucket ?? '')}
    {error && <span className={styles.why}>{error}</span>}
  </>
);
