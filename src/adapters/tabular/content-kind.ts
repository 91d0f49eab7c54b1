import { headOf } from './head.ts';
import { refused } from './limits.ts';

/** How to open a file; decided by its first bytes, not its name. */
export type ContentKind = 'text' | 'zip' | 'compound';

const maxInspectedBytes = 4096;

/** First bytes of files that users upload by mistake. */
const strangers: readonly [string, string][] = [
  ['%PDF-', 'a PDF'],
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['PK\x07\x08', 'a part of a divided ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['Rar!', 'a RAR archive'],
  ['BZh', 'a bzip2 archive'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['\x7fELF', 'a program'],
  ['MZ\x90', 'a program'],
  ['{\\rtf', 'a rich text document'],
  ['BEGIN:VCARD', 'a vCard file'],
  ['PAR1\x15', 'a Parquet file'],
];

const mistakes: readonly [RegExp, string][] = [
  [/^<(!doctype html|html|head|body|table|meta)\b/i, 'an HTML page, even if its name says .xls'],
  [
    /^<\?xml[^>]*>\s*<\?mso-application|urn:schemas-microsoft-com:office:spreadsheet/i,
    'an XML spreadsheet of Excel 2003',
  ],
  [/^<\?xml/i, 'an XML document'],
  [/^(\{\s*"|\[\s*[{["])[\s\S]*[:,\]]/, 'a JSON document'],
];

/** @throws AppError unsupported_file that names the actual format */
export async function contentKind(path: string): Promise<ContentKind> {
  const head = await headOf(path, maxInspectedBytes);
  if (head.length === 0) throw refused('The file is empty');
  const bytes = head.toString('latin1');
  if (bytes.startsWith('PK\x03\x04')) return 'zip';
  if (bytes.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return 'compound';
  const stranger = strangers.find(([beginning]) => bytes.startsWith(beginning));
  if (stranger) throw notATable(stranger[1]);
  const text = bytes
    .replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
  const mistake = mistakes.find(([pattern]) => pattern.test(text));
  if (mistake) throw notATable(mistake[1]);
  return 'text';
}

/** The format, and what to do about it. */
export function notATable(what: string): Error {
  return refused(
    `The file is ${what}; lists are read from CSV and other delimited text, .xlsx, .xls and .ods. Open it in a spreadsheet and save it as one of these`,
  );
}
