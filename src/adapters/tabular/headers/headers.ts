/** Longer ones are cut. */
const longestHeader = 200;

/**
 * The headers of a table: trimmed, on one line, distinct without regard to case (`Phone`, `Phone (2)`), and
 * `Column C` where there is none.
 */
export function distinctHeaders(cells: readonly string[], width: number): string[] {
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, column) => {
    const text = (cells[column] ?? '').replace(/\s+/g, ' ').trim().slice(0, longestHeader);
    const wanted = text === '' ? `Column ${columnName(column)}` : text;
    let name = wanted;
    for (let copy = 2; taken.has(name.toLowerCase()); copy++) name = `${wanted} (${copy})`;
    taken.add(name.toLowerCase());
    return name;
  });
}

/** A column as a spreadsheet names it: 0 is A, 26 is AA. */
export function columnName(column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}
