import { posix } from 'node:path';
import { limits, refused } from '../limits.ts';
import type { ZipParts } from '../zip.ts';
import { attribute, isTrue, readXml } from './xml.ts';

interface Relation {
  /** Last word of its type: `worksheet`, `sharedStrings`. */
  type: string;
  /** Name of its target part. */
  part: string;
}

export interface Workbook {
  /** Visible sheets with cells, in order. */
  sheets: { name: string; part: string }[];
  date1904: boolean;
  sharedStrings: string | undefined;
  styles: string | undefined;
}

/** The parts that an .xlsx consists of. */
export async function readWorkbook(zip: ZipParts): Promise<Workbook> {
  const root = await relationsOf(zip, '');
  const part = [...root.values()].find(({ type }) => type === 'officeDocument')?.part ?? 'xl/workbook.xml';
  const relations = await relationsOf(zip, part);
  const sheets: Workbook['sheets'] = [];
  let date1904 = false;
  await readXml(part, zip.read(part, limits.part), {
    open(name, attributes) {
      if (name === 'workbookPr') date1904 = isTrue(attributes.date1904);
      if (name !== 'sheet' || (attributes.state ?? 'visible') !== 'visible') return;
      const relation = relations.get(attribute(attributes, 'id') ?? '');
      // Charts and dialogs are sheets too, without cells.
      if (relation?.type === 'worksheet') sheets.push({ name: attributes.name ?? '', part: relation.part });
    },
  });
  if (sheets.length === 0) throw refused('The workbook has no visible sheet with cells');
  const partOf = (type: string): string | undefined => {
    const found = [...relations.values()].find((relation) => relation.type === type)?.part;
    return found !== undefined && zip.has(found) ? found : undefined;
  };
  return { sheets, date1904, sharedStrings: partOf('sharedStrings'), styles: partOf('styles') };
}

/** The targets of a part's relations. @param part its name, '' for the archive's own */
async function relationsOf(zip: ZipParts, part: string): Promise<Map<string, Relation>> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations = new Map<string, Relation>();
  if (!zip.has(name)) return relations;
  await readXml(name, zip.read(name, limits.part), {
    open(element, attributes) {
      if (element !== 'Relationship' || attributes.TargetMode === 'External') return;
      const target = (attributes.Target ?? '').replaceAll('\\', '/');
      relations.set(attributes.Id ?? '', {
        type: attributes.Type?.split('/').at(-1) ?? '',
        part: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return relations;
}
