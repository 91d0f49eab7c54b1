/** What programs say of a port that something else has. */
export const inUse = /EADDRINUSE: |address already in use|port is already allocated|Connection in use:/i;

/** The port of the address that follows these words, or else of the first address before them: other numbers, as of times, are none. */
export function portIn(line: string): number | undefined {
  const parts = line.split(inUse);
  const after = /^:? ?\(?['"]?[\w.:*[\]-]{0,60}?['"]?[:,] ?(\d{2,5})(?!\d|\.\d)/.exec(parts.at(-1) ?? '');
  const before = /(?:\d\.\d{1,3}|::[\da-f]{0,4}|\]|\*|localhost)['"]?[:,] ?(\d{2,5})(?!\d|\.\d)/.exec(parts[0] ?? '');
  const port = (after ?? before)?.[1];
  return port === undefined ? undefined : Number(port);
}
