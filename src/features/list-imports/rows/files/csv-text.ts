const needsQuotes = /[",\n\r]/;
const formula = /^[=+\-@\t\r]/;

/** One line of CSV without its end (RFC 4180). */
export function csvLine(cells: readonly string[]): string {
  let line = '';
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index] ?? '';
    if (index > 0) line += ',';
    line += needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  }
  return line;
}

/** A cell that a spreadsheet takes for text: one that it would take for a formula begins with an apostrophe. Source: OWASP, CSV Injection. */
export function escapeFormula(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}
