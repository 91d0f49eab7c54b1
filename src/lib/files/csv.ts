const formula = /^[=+\-@\t\r]/;

/** How CSV files for spreadsheets are written: opened by Excel, a file without the mark would be read in an old character set. */
export const spreadsheetCsv = { rowDelimiter: '\r\n', writeBOM: true } as const;

/** A cell that a spreadsheet takes for text: one that it would take for a formula begins with an apostrophe. Source: OWASP, CSV Injection. */
export function escapeFormula(cell: string): string {
  // fast-csv removes NUL characters, so a formula must not hide behind one.
  const text = cell.replaceAll('\0', '');
  return formula.test(text) ? `'${text}` : text;
}
