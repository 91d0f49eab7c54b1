/** á à â ä ã å ç é è ê in Mac Roman; in Windows-1252 signs, capitals or nothing: none of them stands between two small letters. */
const macLetters: ReadonlySet<number> = new Set([0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90]);
/** é, with which names end; Windows-1252’s Ž follows no small letter. */
const accentedE = 0x8e;
/** Small letters of DOS's code pages (é á í ó ú ñ), signs or capitals in Mac Roman. */
const dosLetters: ReadonlySet<number> = new Set([0x82, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4]);
/** From here on Windows-1252 has small letters only, Mac Roman signs and capitals. */
const firstOfWindows = 0xdf;

const fewest = 3;
const clearly = 10;

/**
 * Tells Mac Roman, as spreadsheets on old Macs write it, from Windows-1252, by bytes that only one of them has as small letters within
 * words. ñ, í, ó and ú prove nothing: dashes, apostrophes and œ of Windows-1252 stand there too.
 */
export class MacRomanEvidence {
  #found = 0;
  #against = 0;

  /** Looks at a piece of a text that is no UTF-8. */
  add(bytes: Uint8Array): void {
    for (let at = 1; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x80 || !isSmall(bytes[at - 1])) continue;
      const within = isSmall(bytes[at + 1]);
      if (byte === accentedE || (within && macLetters.has(byte))) this.#found += 1;
      else if (within && (byte >= firstOfWindows || dosLetters.has(byte))) this.#against += 1;
    }
  }

  get isClear(): boolean {
    return this.#found >= fewest && this.#found > clearly * this.#against;
  }
}

/** a to z. */
const isSmall = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x61 && byte <= 0x7a;
