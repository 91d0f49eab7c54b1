import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  examineTable,
  readRows,
  type TableExamination,
  type TableRow,
} from '../../../../src/adapters/tabular/tabular.ts';

/** A directory for a suite's files, and its cleanup. */
export function scratch(): { file: (name: string) => string; remove: () => void } {
  const directory = mkdtempSync(join(tmpdir(), 'tabular-'));
  return {
    file: (name) => join(directory, name),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

interface ReadTable extends TableExamination {
  rows: TableRow[];
  /** Cells of the rows. */
  cells: string[][];
}

/** Inspects a file and reads it by its layout, which passes through JSON as in the manager. */
export async function readTable(path: string, sheet?: string): Promise<ReadTable> {
  const examination = await examineTable(path, { sheet, sampleRows: 5 });
  const rows: TableRow[] = [];
  for await (const batch of readRows(path, JSON.parse(JSON.stringify(examination.layout)))) rows.push(...batch);
  return { ...examination, rows, cells: rows.map((row) => row.cells) };
}

export async function readContent(path: string, content: string | Uint8Array): Promise<ReadTable> {
  writeFileSync(path, content);
  return readTable(path);
}
