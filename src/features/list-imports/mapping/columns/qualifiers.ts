/**
 * Headers with what stands in brackets as part of them where several differ by it alone: "Name (First)" beside "Name (Last)",
 * "Address (City)" beside "Address (ZIP)", as form builders name the parts of a field. Elsewhere brackets hold remarks.
 */
export function withQualifiers(headers: readonly string[]): string[] {
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
function fieldOf(header: string): string | undefined {
  const [, field = '', remark = ''] = /^([^([]*)[([]([^)\]]*)[)\]]$/.exec(header.trim()) ?? [];
  return /\p{L}/u.test(field) && /\p{L}/u.test(remark) ? field.trim().toLowerCase() : undefined;
}
