/**
 * Which headers repeat another one: "City (2)", as the loader tells equal headers apart, "City.1" and "City_y" beside "City_x", as
 * some programs do. What is said a second time is another address, another name; only a second phone is of use as such.
 * @returns for each header, whether it does
 */
export function repeatsOf(headers: readonly string[]): boolean[] {
  const all = new Set(headers.map(plain));
  return headers.map((header) => {
    const first = /^(.*\D)(?:\.\d+| \(\d+\))$/.exec(header.trim())?.[1];
    const left = /^(.+)_y$/i.exec(header.trim())?.[1];
    return (first !== undefined && all.has(plain(first))) || (left !== undefined && all.has(plain(`${left}_x`)));
  });
}

const plain = (header: string): string => header.trim().toLowerCase();

/** Headers without the "_x" that lists bear which were merged from two, where there is a "_y" too. */
export function withoutMergeMarks(headers: readonly string[]): string[] {
  const all = new Set(headers.map(plain));
  return headers.map((header) => {
    const [, name, mark] = /^(.+)_([xy])$/i.exec(header.trim()) ?? [];
    if (name === undefined || mark === undefined) return header;
    return all.has(plain(`${name}_${mark.toLowerCase() === 'x' ? 'y' : 'x'}`)) ? name : header;
  });
}
