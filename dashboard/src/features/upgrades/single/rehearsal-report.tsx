import parts from '../../../components/components.module.css';
import { DataTable } from '../../../components/data/data-table.tsx';
import { Facts } from '../../../components/data/facts.tsx';
import { duration } from '../../../components/data/time.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { apiText } from '../../../lib/api-text.ts';
import { figure } from '../../../lib/figures.ts';
import { upgradeText } from './messages.ts';
import type { Rehearsed } from './queries.ts';
import { SchemaChanges } from './schema-changes.tsx';
import styles from './upgrade.module.css';

const texts = upgradeText.report;

/** The effect of a version's migrations on a copy of the data. */
export function RehearsalReport({ report }: { report: Rehearsed }) {
  const { migrations_run, failure, notes, schema_changes, duration_seconds, copy_seconds } = report;
  const looked = report.row_counts.length > 0;
  return (
    <>
      <Verdict report={report} />
      {failure && failure.output.length > 0 && (
        <section className={styles.output} aria-label={texts.output}>
          <h3>{texts.output}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <pre ref={toItsEnd} tabIndex={0}>
            {failure.output.map(plainText).join('\n')}
          </pre>
        </section>
      )}
      {notes.length > 0 && (
        <Note tone="plain" title={texts.notes}>
          {notes.map((note) => (
            <span key={note}>{worded(note)}</span>
          ))}
        </Note>
      )}
      <section className={parts.card}>
        <Facts
          facts={{
            [texts.took]: duration(duration_seconds),
            [texts.copy]: looked ? duration(copy_seconds) : null,
            [texts.migrations]: migrations_run.length > 0 ? <Scripts report={report} /> : null,
          }}
        />
        {looked && (
          <>
            <h3 className={styles.title}>{texts.schema}</h3>
            <SchemaChanges changes={schema_changes} />
          </>
        )}
      </section>
      {looked && <Rows counts={report.row_counts} />}
    </>
  );
}

const worded = (words: string): string => apiText(texts.worded, words);

/** The last line matters most. */
const toItsEnd = (box: HTMLElement | null): void => box?.scrollTo({ top: box.scrollHeight });

const secondsOf = ({ migrations_run }: Rehearsed): number =>
  migrations_run.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0);

const Scripts = ({ report }: { report: Rehearsed }) => (
  <>
    {duration(secondsOf(report))} <span className={styles.soft}>{texts.migrationsHint}</span>
    <ol className={styles.scripts}>
      {report.migrations_run.map(({ name, duration_seconds }) => (
        <li key={name}>
          <span className={styles.mono}>{name}</span> <span className={styles.soft}>{duration(duration_seconds)}</span>
        </li>
      ))}
    </ol>
  </>
);

function Verdict({ report }: { report: Rehearsed }) {
  const { ok, failure, migrations_run } = report;
  const version = report.new_version ?? upgradeText.head;
  if (ok)
    return (
      <Note tone="good" title={texts.ok(version)}>
        {migrations_run.length > 0 ? texts.okHint(migrations_run.length, duration(secondsOf(report))) : texts.okNothing}
      </Note>
    );
  return (
    <Note tone="bad" title={texts.fails(version)}>
      <span>{texts.failsHint}</span>
      <span>
        {worded(failure?.step ?? '')}
        {failure?.script ? `, ${texts.inScript(failure.script)}` : ''}: {failure?.message}
      </span>
    </Note>
  );
}

type Count = Rehearsed['row_counts'][number];

/** Tables whose row count would change. */
function Rows({ counts }: { counts: readonly Count[] }) {
  const differing = counts.filter(({ before, after }) => before !== after);
  const all = counts.reduce((sum, { after }) => sum + (after ?? 0), 0);
  if (differing.length === 0) return <p className={styles.soft}>{texts.noRows(counts.length, all)}</p>;
  const { table, before, after, difference } = texts.rowColumns;
  return (
    <section className={styles.rows}>
      <h3>{texts.rows}</h3>
      <DataTable
        label={texts.rows}
        columns={[
          { name: table, cell: (one: Count) => <span className={styles.mono}>{one.table}</span> },
          { name: before, kind: 'figure', cell: (one: Count) => figure(one.before, '–') },
          { name: after, kind: 'figure', cell: (one: Count) => figure(one.after, '–') },
          { name: difference, cell: (one: Count) => <Difference count={one} /> },
        ]}
        rows={differing}
        keyOf={(one) => one.table}
      />
    </section>
  );
}

function Difference({ count: { before, after } }: { count: Count }) {
  if (before === null) return texts.newTable;
  if (after === null) return <strong className={styles.loss}>{texts.noTable}</strong>;
  if (after < before) return <strong className={styles.loss}>{texts.fewer(before - after)}</strong>;
  return texts.more(after - before);
}
