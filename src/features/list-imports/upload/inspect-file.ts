import type { TableLayout } from '../../../adapters/tabular/tabular.ts';
import { examineList, type WorkerPool } from '../rows/run-task.ts';
import type { ListSample } from './files.ts';

/** Sample rows for the preview and for suggesting mappings. */
const sampleRows = 200;

interface Examined {
  layout: TableLayout;
  rowCount: number;
  sample: ListSample;
}

/**
 * Finds out how a file is to be read, in a thread, when it is its turn.
 * @throws AppError unsupported_file; validation_error naming `sheet` or `header_row`; the signal's reason
 */
export type InspectFile = (
  file: { path: string; sheet?: string | undefined; headerRow?: number | null | undefined },
  signal: AbortSignal,
) => Promise<Examined>;

export const createInspectFile =
  (pool: WorkerPool): InspectFile =>
  async (file, signal) => {
    const found = await pool.run(signal, () => examineList({ ...file, sampleRows }, { signal }));
    const { layout, rowCount, sampleRows: rows, firstRows, warnings } = found;
    return { layout, rowCount, sample: { rows, firstRows, warnings } };
  };
