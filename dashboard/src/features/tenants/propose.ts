/** A short name out of a name: `Müller & Söhne 2` → `mueller-soehne-2`; empty where nothing is left. */
export function proposeSlug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/(?<!-)-+$/, '');
}

/** The part of the domains that the newest tenant shares with its slug: what the next one likely has too. */
export function domainAfterSlug(
  { slug, domain }: { slug: string; domain: string } | undefined = { slug: '', domain: '' },
): string {
  return slug !== '' && domain.startsWith(`${slug}.`) ? domain.slice(slug.length + 1) : 'example.org';
}
