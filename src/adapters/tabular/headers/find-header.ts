import { invalid } from '../../../lib/errors.ts';
import type { RawRow } from '../table.ts';

/** The kind of a cell's text; `text` is everything else. */
type ValueKind = 'blank' | 'number' | 'date' | 'phone' | 'email' | 'link' | 'text';

const patterns: readonly [ValueKind, RegExp][] = [
  ['email', /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/],
  ['link', /^(https?:\/\/|www\.)\S+$/i],
  ['date', /^\d{1,4}([-/.])\d{1,2}\1\d{1,4}([T ]\d.*)?$/],
  ['phone', /^\+?1?[\s.-]?\(?\d{3}\)?[\s.-]{1,2}\d{3}[\s.-]\d{4}(\s*(x|ext\.?)\s*\d+)?$/i],
  ['number', /^[-+]?[$€£]?\d[\d.,]*%?$/],
];

function kindOf(cell: string): ValueKind {
  const text = cell.trim();
  if (text === '') return 'blank';
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}

/** Words of the headers of contact lists, English and Spanish, and rarely of their data. */
const words = new Set(
  `name names first last middle maiden nick full suffix prefix salutation fname lname mname given surname family
  email mail phone telephone tel mobile cell fax home work
  address addr street city town state zip zipcode zip4 postal postcode county country region apt unit
  precinct pct district ward party congressional legislative senate house
  gender sex age birth birthday birthdate dob born race ethnicity language
  date time created updated modified year registered registration
  id ids number num no code key uuid guid vanid row record
  note notes comment comments remarks description tag tags status type title role category group list source
  company organization organisation employer occupation job website url amount donation total
  voter volunteer member contact person household latitude longitude lat lon lng
  nombre nombres apellido apellidos correo electronico telefono telefonos celular movil direccion calle ciudad estado
  codigo postal condado pais fecha nacimiento genero sexo edad partido distrito precinto notas comentarios etiquetas`.split(
    /\s+/,
  ),
);

/** More words than a header has: a sentence, an address. */
const maxWords = 6;

/** Whether a cell reads like a header: `ZIP Code`, `first_name`, `Teléfono móvil`. */
function readsLikeHeader(cell: string): boolean {
  if (/^\s*\d/.test(cell)) return false;
  const parts = cell
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
  return (
    parts.length <= maxWords && parts.some((part) => words.has(part) || words.has(part.replace(/(?<!\d)\d+$/, '')))
  );
}

interface HeaderPosition {
  /** The row of the headers; undefined if the file starts with data. */
  header: RawRow | undefined;
  firstRow: number;
}

/** A row with less than this share of the usual number of cells is a title. */
const filledShare = 0.6;
/** How many rows above the headers are searched for groups and the like. */
const maxGroupRows = 5;
/** Two words that read like headers may be data. */
const minLabels = 3;

const filledOf = (row: RawRow): number => row.cells.filter((cell) => cell.trim() !== '').length;

/**
 * The position of the headers: below blank and title rows, or missing, by the values: a row like those below it is data.
 * @param rows the first rows that are not blank, at least one
 */
export function findHeader(rows: readonly RawRow[]): HeaderPosition {
  const usual = median(rows.map(filledOf));
  const enough = Math.max(Math.ceil(filledShare * usual), Math.min(2, usual));
  const at = Math.max(
    0,
    rows.findIndex((row) => filledOf(row) >= enough),
  );
  const chosen = aboveWiderData(rows, at) ?? belowGroups(rows, at);
  const header = rows[chosen];
  if (header && isHeader(header.cells, rows.slice(chosen + 1))) return { header, firstRow: header.fileRow + 1 };
  return withoutHeader(rows, usual);
}

/** Half of the columns may have no headers: directly above a row of data, two header words are enough. */
function aboveWiderData(rows: readonly RawRow[], at: number): number | undefined {
  const [above, row] = at === 0 ? [] : rows.slice(at - 1, at + 1);
  if (!above || !row || above.fileRow + 1 !== row.fileRow || [...labelsOf(row)].some(readsLikeHeader)) return undefined;
  const labels = [...labelsOf(above)];
  return labels.length >= 2 && labels.every(readsLikeHeader) ? at - 1 : undefined;
}

/**
 * Above the headers there may be a row that is nearly as full: names of groups of columns, or the export's author and date.
 * Then the headers are a row below it whose cells all read like one, and which has more information.
 */
function belowGroups(rows: readonly RawRow[], at: number): number {
  const [row, ...below] = rows.slice(at, at + 1 + maxGroupRows);
  if (!row) return at;
  const labels = labelsOf(row);
  const better = below.findIndex((lower) => {
    const lowerLabels = labelsOf(lower);
    if (lowerLabels.size < minLabels || ![...lowerLabels].every(readsLikeHeader)) return false;
    return lowerLabels.size > labels.size || ![...labels].every(readsLikeHeader);
  });
  return better < 0 ? at : at + 1 + better;
}

/** Each once: "No, No, No" is data. */
const labelsOf = (row: RawRow): Set<string> => new Set(row.cells.map((cell) => cell.trim()).filter(Boolean));

/**
 * The position of headers given by the user; null: there are none.
 * @throws AppError validation_error naming `header_row` when none of these rows is the one
 */
export function headerAt(rows: readonly RawRow[], headerRow: number | null): HeaderPosition {
  if (headerRow === null) return withoutHeader(rows, median(rows.map(filledOf)));
  const header = rows.find(({ fileRow }) => fileRow === headerRow);
  if (!header) throw invalid('header_row', 'must be one of the first rows that are not empty');
  return { header, firstRow: header.fileRow + 1 };
}

/** Possible data is never dropped: only a single cell above a wide table is a title. */
function withoutHeader(rows: readonly RawRow[], usual: number): HeaderPosition {
  const first = rows.find((row) => usual < 3 || filledOf(row) >= 2) ?? rows[0];
  return { header: undefined, firstRow: first?.fileRow ?? 1 };
}

function isHeader(cells: readonly string[], below: readonly RawRow[]): boolean {
  let header = 0;
  let data = 0;
  cells.forEach((cell, column) => {
    const kind = kindOf(cell);
    if (kind === 'blank') return;
    const values = below.map((row) => row.cells[column] ?? '').filter((value) => value.trim() !== '');
    const common = commonKind(values);
    if (kind !== 'text') {
      // A year above a column of votes is a header, too.
      if (common === undefined || common === kind) data += 2;
      return;
    }
    const known = readsLikeHeader(cell);
    if (known) header += 2;
    if (common !== undefined && common !== 'text') header += 2;
    const label = cell.trim().toLowerCase();
    if (!known && values.some((value) => value.trim().toLowerCase() === label)) data += 1.5;
    header += 0.25;
  });
  return header > data;
}

/** The kind of more than half of the values. */
function commonKind(values: readonly string[]): ValueKind | undefined {
  const counts = new Map<ValueKind, number>();
  for (const value of values) {
    const kind = kindOf(value);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].find(([, count]) => count > values.length / 2)?.[0];
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
