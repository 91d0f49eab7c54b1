/** What a search looks through: everything a tenant is known by, in one spelling; parts are kept apart by a line break. */
export function searchText(tenant: { name: string; slug: string; domain: string; apiDomain: string }): string {
  return [tenant.name, tenant.slug, tenant.domain, tenant.apiDomain].map(searchTerm).join('\n');
}

/** A search term in that spelling: without case, accents and compatibility forms. The dashboard's `text/fold.ts` does the same. */
export function searchTerm(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
