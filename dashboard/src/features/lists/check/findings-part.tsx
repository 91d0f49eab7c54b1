import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Button } from '../../../components/form/button.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { targetName, useCatalogue } from '../columns/catalogue.ts';
import { FilterLinks } from '../columns/filter-links.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { Finding, Findings } from '../queries.ts';

const drawn = 50;
/** The maximum of each that the manager returns. */
const maxFindings = 1_000;
/** The custom field for values that their fields can't hold. */
const asideField = 'unclear_values';
const isKeptAside = (code: string): boolean => listsText.findings[code]?.includes('kept aside') ?? false;

/** The rows with findings: left out, or with a warning. */
export function FindingsPart({ findings }: { findings: Findings }) {
  const [search] = useSearchParams();
  const { errors, warnings, summary } = findings;
  const { fine, show, shows, showing, aside } = listsText.check;
  if (errors.length === 0 && warnings.length === 0) return <p className={styles.notice}>{fine}</p>;
  const asked = search.get('show');
  const first = errors.length > 0 ? 'errors' : 'warnings';
  const view = asked === 'errors' || asked === 'warnings' ? asked : first;
  const codes = new Set(findings[view].map(({ code }) => code));
  const names = {
    errors: showing(shows.errors, findings.error_count),
    warnings: showing(shows.warnings, findings.warning_count),
  };
  const entries = first === 'errors' ? names : { warnings: names.warnings, errors: names.errors };
  return (
    <section className={styles.stack} aria-label={listsText.check.summary}>
      <FilterLinks label={show} name="show" value={view} entries={entries} />
      <Summary summary={summary.filter(({ code }) => codes.has(code))} />
      {view === 'warnings' && [...codes].some(isKeptAside) && <p className={styles.fine}>{aside(asideField)}</p>}
      <FindingsTable key={view} findings={findings[view]} view={view} />
    </section>
  );
}

/** The count of each kind, and its rows. */
const Summary = ({ summary }: { summary: Findings['summary'] }) => (
  <ul className={styles.summary}>
    {summary.map(({ code, column, count }) => (
      <li key={`${code} ${column}`}>
        <strong>{listsText.count(count)} ×</strong> {listsText.findings[code] ?? code}
        {column !== null && <span className={styles.fine}> ({plainText(column)})</span>}
      </li>
    ))}
  </ul>
);

function FindingsTable({ findings, view }: { findings: readonly Finding[]; view: 'errors' | 'warnings' }) {
  const [most, setMost] = useState(drawn);
  const { table, wholeRow, none, first, firstErrors, more } = listsText.check;
  if (findings.length === 0) return <p className={styles.notice}>{none[view]}</p>;
  const columns: Column<Finding>[] = [
    { name: table.row, kind: 'figure', cell: ({ file_row }) => listsText.count(file_row) },
    { name: table.what, kind: 'text', cell: (finding) => <What finding={finding} /> },
    { name: table.value, kind: 'text', cell: ({ value }) => plainText(value) },
    { name: table.column, cell: ({ column }) => (column === null ? wholeRow : plainText(column)) },
  ];
  const shown = findings.slice(0, most);
  return (
    <>
      <DataTable
        label={listsText.check.shows[view]}
        columns={columns}
        rows={shown}
        keyOf={(finding) => String(shown.indexOf(finding))}
      />
      <div className={styles.pages}>
        {findings.length > most && (
          <Button onClick={() => setMost(most + drawn)}>{more(Math.min(drawn, findings.length - most))}</Button>
        )}
        {findings.length >= maxFindings && (
          <span className={styles.fine}>
            {first(maxFindings)} {view === 'errors' && firstErrors}
          </span>
        )}
      </div>
    </>
  );
}

/** Codes whose message is more specific than our text for the kind: it names the row, or what was done. */
const telling = new Set(['duplicate_in_file', 'several_phones', 'shortened', 'unsure_split']);

function What({ finding: { code, field, message } }: { finding: Finding }) {
  const catalogue = useCatalogue();
  const words = listsText.findings[code] ?? message;
  if (code === 'required' && field) return `${words}: ${targetName(catalogue, field)}`;
  if (!telling.has(code)) return words;
  return (
    <>
      {words} <span className={styles.fine}>{plainText(message)}</span>
    </>
  );
}
