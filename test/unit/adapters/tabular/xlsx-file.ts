import { writeZip } from './zip-file.ts';

interface XlsxContent {
  /** The content of `<sheetData>`, or the whole part if it starts with `<?xml`; a state other than visible hides it. */
  sheets: { name: string; rows: string; state?: string; type?: string }[];
  /** The content of `<sst>`; or the whole part. */
  strings?: string;
  /** The content of `<styleSheet>`. */
  styles?: string;
  workbook?: string;
  prefix?: string;
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const whole = (text: string, wrap: (text: string) => string): string => (text.startsWith('<?xml') ? text : wrap(text));

/** The parts of an .xlsx, written by hand so that each case is exact. */
export function xlsxParts(content: XlsxContent): { name: string; data: string }[] {
  const types = 'http://schemas.openxmlformats.org/package/2006';
  const sheets = content.sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"${state ? ` state="${state}"` : ''}/>`,
  );
  const links = content.sheets.map(
    ({ type }, at) =>
      `<Relationship Id="rId${at + 1}" Type="${relations}/${type ?? 'worksheet'}" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  if (content.strings !== undefined)
    links.push(`<Relationship Id="rIdT" Type="${relations}/sharedStrings" Target="/xl/sharedStrings.xml"/>`);
  if (content.styles !== undefined)
    links.push(`<Relationship Id="rIdS" Type="${relations}/styles" Target="styles.xml"/>`);
  return [
    { name: '[Content_Types].xml', data: `<Types xmlns="${types}/content-types"/>` },
    {
      name: '_rels/.rels',
      data: `<Relationships xmlns="${types}/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: 'xl/workbook.xml',
      data: `<workbook xmlns="${main}" xmlns:r="${relations}">${content.workbook ?? ''}<sheets>${sheets.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships xmlns="${types}/relationships">${links.join('')}</Relationships>`,
    },
    ...(content.strings === undefined
      ? []
      : [
          {
            name: 'xl/sharedStrings.xml',
            data: whole(content.strings, (text) => `<sst xmlns="${main}">${text}</sst>`),
          },
        ]),
    ...(content.styles === undefined
      ? []
      : [{ name: 'xl/styles.xml', data: `<styleSheet xmlns="${main}">${content.styles}</styleSheet>` }]),
    ...content.sheets.map(({ rows }, at) => ({
      name: `xl/worksheets/sheet${at + 1}.xml`,
      data: whole(rows, (text) => `<worksheet xmlns="${main}"><sheetData>${text}</sheetData></worksheet>`),
    })),
  ];
}

export function writeXlsx(path: string, content: XlsxContent): void {
  writeZip(path, xlsxParts(content));
}

/** A row of inline texts. */
export function textRow(...texts: string[]): string {
  return `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
}
