import { domainToUnicode } from 'node:url';

/** The searchable text of a tenant: its normalized names, separated by line breaks. */
export function searchText(tenant: { name: string; slug: string; domain: string; apiDomain: string }): string {
  const domains = [tenant.domain, tenant.apiDomain];
  return [...new Set([tenant.name, tenant.slug, ...domains, ...domains.map(domainToUnicode)].map(searchTerm))].join(
    '\n',
  );
}

/** Normalizes a search term: no case, accents or compatibility forms. The dashboard's `lib/fold.ts` does the same. */
export function searchTerm(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
