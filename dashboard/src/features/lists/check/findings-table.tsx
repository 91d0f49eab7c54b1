import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { apiText } from '../../../lib/api-text.ts';
import { targetName, useCatalogue } from '../columns/catalogue.ts';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import type { Finding, Findings, Mapping } from '../queries.ts';
import type { CellDrafts } from './cell-drafts.ts';

const drawn = 50;

/** A row of the list with what was found in it. */
interface FoundRow {
  row: number;
  fileRow: number;
  findings: Finding[];
  /** By column; undefined where the manager keeps no cells of the row. */
  cells: Record<string, string> | undefined;
}

interface FindingsTableProps {
  label: string;
  findings: readonly Finding[];
  cells: Findings['cells'];
  mappings: readonly Mapping[];
  drafts: CellDrafts;
}

/** Rows with findings, a row each: their cells can be corrected in place. */
export function FindingsTable({ label, findings, cells, mappings, drafts }: FindingsTableProps) {
  const [most, setMost] = useState(drawn);
  const rows = rowsOf(findings, cells);
  const { table, more } = listsText.check;
  const columns: Column<FoundRow>[] = [
    { name: table.row, kind: 'figure', cell: ({ fileRow }) => listsText.count(fileRow) },
    { name: table.what, kind: 'text', cell: (found) => <Problems row={found} /> },
    ...columnsOf(findings, cells.columns, mappings).map((column) => ({
      id: `cell ${column}`,
      name: plainText(column),
      cell: (found: FoundRow) => <Cell found={found} column={column} drafts={drafts} />,
    })),
  ];
  const shown = rows.slice(0, most);
  return (
    <>
      <DataTable label={label} columns={columns} rows={shown} keyOf={({ row }) => String(row)} />
      {rows.length > most && (
        <div className={styles.pages}>
          <Button onClick={() => setMost(most + drawn)}>{more(Math.min(drawn, rows.length - most))}</Button>
        </div>
      )}
    </>
  );
}

function rowsOf(findings: readonly Finding[], { columns, rows }: Findings['cells']): FoundRow[] {
  const cellsOf = new Map(rows.map(({ row, cells }) => [row, cells]));
  return [...Map.groupBy(findings, ({ row }) => row)].map(([row, group]) => {
    const cells = cellsOf.get(row);
    return {
      row,
      fileRow: group[0]?.file_row ?? row,
      findings: group,
      cells: cells && Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])),
    };
  });
}

/** A finding about joined columns names all of them. */
const isAbout = ({ column }: Finding, header: string): boolean =>
  column === header || (column?.split(' + ').includes(header) ?? false);

/** The columns with findings, after those with the names, by which a user recognises the rows. */
function columnsOf(findings: readonly Finding[], headers: readonly string[], mappings: readonly Mapping[]): string[] {
  const names = new Set(
    mappings.filter(({ target }) => target === 'first_name' || target === 'last_name').map(({ source }) => source),
  );
  const found = headers.filter((header) => !names.has(header) && findings.some((finding) => isAbout(finding, header)));
  return [...headers.filter((header) => names.has(header)), ...found];
}

function Problems({ row: { findings, cells } }: { row: FoundRow }) {
  const shown = findings.map((finding) => ({ finding, key: `${finding.code} ${finding.column} ${finding.message}` }));
  return (
    <ul className={styles.problems}>
      {shown.map(({ finding, key }) => (
        <li key={key}>
          <What finding={finding} />
          {(!cells || finding.column === null) && finding.value !== '' && (
            <span className={styles.fine}> {plainText(finding.value)}</span>
          )}
        </li>
      ))}
    </ul>
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
      {words} <span className={styles.fine}>{plainText(apiText(listsText.findingDetails, message))}</span>
    </>
  );
}

interface CellProps {
  found: FoundRow;
  column: string;
  drafts: CellDrafts;
}

/** A cell to be corrected, and whether all cells like it are. */
function Cell({ found: { row, fileRow, cells, findings }, column, drafts }: CellProps) {
  const before = cells?.[column];
  const { cellOf, everywhere, everywhereEmpty } = listsText.check;
  if (before === undefined) return null;
  const draft = drafts.of(row, column);
  const wrong = !draft && findings.some((finding) => isAbout(finding, column));
  const change = (changes: { value?: string; everywhere?: boolean }): void =>
    drafts.set({
      row,
      column,
      before,
      value: draft?.value ?? before,
      everywhere: draft?.everywhere ?? false,
      ...changes,
    });
  return (
    <div className={styles.correction} data-changed={draft ? true : undefined}>
      <input
        className={parts.control}
        aria-label={cellOf(plainText(column), fileRow)}
        value={draft?.value ?? before}
        {...(wrong ? { 'data-invalid': true, 'aria-invalid': true } : {})}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => change({ value: target.value })}
      />
      {draft && (
        <CheckField
          label={before.trim() === '' ? everywhereEmpty : everywhere(plainText(before))}
          checked={draft.everywhere}
          onChange={(checked) => change({ everywhere: checked })}
        />
      )}
    </div>
  );
}
