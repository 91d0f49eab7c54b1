/** Text as searches compare it: without case, accents and compatibility forms. The API's `search-text.ts` does the same. */
export const fold = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
