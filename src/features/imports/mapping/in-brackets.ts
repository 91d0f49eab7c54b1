/**
 * Headers with what stands in brackets as part of them where several differ by it alone: "Name (First)" beside "Name (Last)",
 * "Address (City)" beside "Address (ZIP)", as form builders name the parts of a field. Elsewhere brackets hold remarks.
 */
export function withPartsInBrackets(headers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const header of headers) {
    const field = fieldOf(header);
    if (field !== undefined) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return headers.map((header) => {
    const shared = (counts.get(fieldOf(header) ?? '') ?? 0) > 1;
    return shared ? header.replace(/[()[\]]/g, ' ') : header;
  });
}

/** What stands before the brackets that end a header; a number alone in them counts repeats. */
const fieldOf = (header: string): string | undefined =>
  /^([^([]*\p{L}[^([]*)[([][^)\]]*\p{L}[^)\]]*[)\]]$/u.exec(header.trim())?.[1]?.trim().toLowerCase();
