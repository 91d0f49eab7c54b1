import { notATable } from '../content-kind.ts';
import type { RowSource, SheetInfo } from '../table.ts';
import { xlsxSource } from '../xlsx/xlsx-source.ts';
import { ZipParts } from '../zip.ts';
import { wholeWorkbook } from './whole-workbook.ts';

/**
 * A workbook that is a ZIP archive, by its parts.
 * @param wanted sheet to read; the first that is not empty when undefined
 * @param known sheets, from a layout
 * @throws AppError unsupported_file for another kind of archive
 */
export async function openZipped(path: string, wanted: string | undefined, known?: SheetInfo[]): Promise<RowSource> {
  const zip = await ZipParts.open(path);
  try {
    if (zip.has('xl/workbook.bin')) throw notATable('a binary workbook (.xlsb)');
    if (zip.has('word/document.xml')) throw notATable('a Word document');
    if (zip.has('ppt/presentation.xml')) throw notATable('a presentation');
    if (zip.has('index/document.iwa')) throw notATable('a Numbers or Pages document');
    if (zip.has('content.xml')) return await wholeWorkbook(path, 'ods', wanted, zip);
    if (zip.has('[content_types].xml') || zip.has('xl/workbook.xml')) return await xlsxSource(zip, wanted, known);
    throw notATable('a ZIP archive');
  } catch (error) {
    zip.close();
    throw error;
  }
}
