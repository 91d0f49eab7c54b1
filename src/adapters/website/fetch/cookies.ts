const most = 30;
const longest = 4_096;

/** Cookies of one reading: some websites lead to the same address again until they get theirs. */
export interface Cookies {
  /** Keeps what an answer sets, for that origin alone; attributes are not looked at, a reading is short. */
  take(url: URL, setCookie: string | string[] | undefined): void;
  /** The header for a request; undefined where there are none. */
  header(url: URL): string | undefined;
}

export function createCookies(): Cookies {
  const kept = new Map<string, Map<string, string>>();
  return {
    take({ origin }, setCookie = []) {
      const own = kept.get(origin) ?? new Map<string, string>();
      for (const line of [setCookie].flat()) {
        const [, name, value = ''] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(line.slice(0, longest)) ?? [];
        if (name !== undefined && (own.has(name) || own.size < most)) own.set(name, value.trim());
      }
      kept.set(origin, own);
    },
    header({ origin }) {
      const own = [...(kept.get(origin) ?? [])];
      return own.map(([name, value]) => `${name}=${value}`).join('; ') || undefined;
    },
  };
}
