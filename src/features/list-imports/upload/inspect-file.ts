import { examineList, type WorkerPool } from '../rows/run-task.ts';

/** Sample rows for the preview and for suggesting mappings. */
const sampleRows = 200;

export type InspectFile = ReturnType<typeof createInspectFile>;

/**
 * Finds out how a file is to be read, in a thread, when it is its turn.
 * @throws AppError unsupported_file; validation_error naming `sheet` or `header_row`; the signal's reason
 */
export const createInspectFile =
  (pool: WorkerPool) =>
  async (
    file: { path: string; sheet?: string | undefined; headerRow?: number | null | undefined },
    signal: AbortSignal,
  ) => {
    const found = await pool.run(signal, () => examineList({ ...file, sampleRows }, { signal }));
    const { layout, rowCount, sampleRows: rows, firstRows, warnings } = found;
    return { layout, rowCount, sample: { rows, firstRows, warnings } };
  };
