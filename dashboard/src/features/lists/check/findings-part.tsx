import { useSearchParams } from 'react-router';
import { plainText } from '../../../components/log/plain-text.ts';
import { FilterLinks } from '../columns/filter-links.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { Findings, Mapping } from '../queries.ts';
import type { CellDrafts } from './cell-drafts.ts';
import { FindingsTable } from './findings-table.tsx';

/** The maximum of each that the manager returns. */
const maxFindings = 1_000;
/** The custom field for values that their fields can't hold. */
const asideField = 'unclear_values';
/** The findings whose values are kept in it. */
const keptAside = new Set([
  'invalid_email',
  'invalid_phone',
  'invalid_zip',
  'invalid_state',
  'invalid_district',
  'rounded_by_spreadsheet',
  'text_beside_phone',
  'extra_cells',
]);

const views = ['errors', 'duplicates', 'warnings'] as const;
const duplicate = 'duplicate_in_file';

/** Rows with a warning other than that they are duplicates; of very many, all rows with a warning. */
export const otherWarnings = ({ warnings, warning_count }: Findings): number =>
  warnings.length < maxFindings
    ? new Set(warnings.filter(({ code }) => code !== duplicate).map(({ row }) => row)).size
    : warning_count;

interface FindingsPartProps {
  findings: Findings;
  mappings: readonly Mapping[];
  drafts: CellDrafts;
}

/** The rows with findings: left out, duplicates, or with a warning. */
export function FindingsPart({ findings, mappings, drafts }: FindingsPartProps) {
  const [search] = useSearchParams();
  const { errors, warnings, summary, cells } = findings;
  const { fine, show, shows, showing, aside, none, first, firstErrors } = listsText.check;
  if (errors.length === 0 && warnings.length === 0) return <p className={styles.notice}>{fine}</p>;
  const shown = {
    errors,
    duplicates: warnings.filter(({ code }) => code === duplicate),
    warnings: warnings.filter(({ code }) => code !== duplicate),
  };
  const counts = {
    errors: findings.error_count,
    duplicates: findings.duplicate_count,
    warnings: otherWarnings(findings),
  };
  // What needs a decision first; the first entry needs no parameter in the URL.
  const order = views.toSorted((one, other) => Number(shown[other].length > 0) - Number(shown[one].length > 0));
  const view = order.find((name) => name === search.get('show')) ?? order[0] ?? 'errors';
  const codes = new Set(shown[view].map(({ code }) => code));
  const isCut = (view === 'errors' ? errors : warnings).length >= maxFindings;
  const entries = Object.fromEntries(order.map((name) => [name, showing(shows[name], counts[name])]));
  return (
    <section className={styles.stack} aria-label={listsText.check.summary}>
      <FilterLinks label={show} name="show" value={view} entries={entries} />
      <Summary summary={summary.filter(({ code }) => codes.has(code))} />
      {view === 'warnings' && [...codes].some((code) => keptAside.has(code)) && (
        <p className={styles.fine}>{aside(asideField)}</p>
      )}
      {shown[view].length === 0 ? (
        <p className={styles.notice}>{none[view]}</p>
      ) : (
        <FindingsTable
          key={view}
          label={shows[view]}
          findings={shown[view]}
          cells={cells}
          mappings={mappings}
          drafts={drafts}
        />
      )}
      {isCut && (
        <p className={styles.fine}>
          {first(maxFindings)} {view === 'errors' && firstErrors}
        </p>
      )}
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
