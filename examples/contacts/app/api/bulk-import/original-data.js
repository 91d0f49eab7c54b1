const ORIGINAL = 'original.';

/**
 * The row as in the original list. A manager that converts values also sends the original columns as
 * `original.<column>`; otherwise the file itself is the original.
 * @param {string[]} header
 * @returns {(cells: string[]) => Record<string, string>}
 */
export function originalData(header) {
  const columns = header.map((name, index) => ({ name, index }));
  const kept = columns.filter(({ name }) => name.startsWith(ORIGINAL));
  const wanted =
    kept.length > 0 ? kept.map((column) => ({ ...column, name: column.name.slice(ORIGINAL.length) })) : columns;
  return (cells) => Object.fromEntries(wanted.map(({ name, index }) => [name, cells[index] ?? '']));
}
