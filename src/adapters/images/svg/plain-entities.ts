/** A document type with declarations of its own. */
const documentType = /<!DOCTYPE\s+svg\b[^[>]{0,400}\[([^\]]{0,8000})\]\s*>/;
/** A name for a plain text: no tag, and no other entity within. */
const declaration = /<!ENTITY\s+([\w.-]{1,40})\s+(?:"([^"<&%]{0,200})"|'([^'<&%]{0,200})')\s*>/g;
/** Characters that the names may stand for in all. */
const mostWritten = 64 * 1024;

/**
 * Writes out what a drawing's own entities stand for, as Adobe Illustrator declares them for namespaces. Other entities stay
 * as they are, for `assertPlain` to refuse.
 */
export function writeOutEntities(text: string): string {
  const [whole, declared = ''] = documentType.exec(text) ?? [];
  if (whole === undefined || declared.replace(declaration, '').trim() !== '') return text;
  const values = new Map<string, string>();
  for (const [, name = '', double, single] of declared.matchAll(declaration)) values.set(name, double ?? single ?? '');
  let left = mostWritten;
  const written = text.replace(whole, '').replace(/&([\w.-]{1,40});/g, (reference, name: string) => {
    const value = values.get(name);
    left -= value?.length ?? 0;
    return left < 0 ? reference : (value ?? reference);
  });
  return left < 0 ? text : written;
}
