const ORIGINAL = 'original.';

/**
 * The row as its sender had it. A manager that has tidied it up sends the columns as they were along, as
 * `original.<column>`; else the file itself is the original.
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
