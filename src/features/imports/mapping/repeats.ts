/**
 * Which headers repeat another one: "City (2)", as the loader tells equal headers apart, and "City.1", as some programs do. What is
 * said a second time is another address, another name; only a second phone is of use as such.
 * @returns for each header, whether it does
 */
export function repeatsOf(headers: readonly string[]): boolean[] {
  const all = new Set(headers.map(plain));
  return headers.map((header) => {
    const first = /^(.*\D)(?:\.\d+| \(\d+\))$/.exec(header.trim())?.[1];
    return first !== undefined && all.has(plain(first));
  });
}

const plain = (header: string): string => header.trim().toLowerCase();
