import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import type { Colours } from './colours.ts';

/** The variants that every site shows, and those that only some applications use. */
export const mainLogos = ['logo_full', 'logo_icon'] as const;
export const otherLogos = ['logo_cropped', 'logo_name'] as const;
export type LogoField = (typeof mainLogos)[number] | (typeof otherLogos)[number];
/** Changes of logos: a new file, or null to remove one. */
export type LogoChanges = Partial<Record<LogoField, File | null>>;
export type Changed = components['schemas']['ThemeChanged'];

interface Save {
  /** The changed ones. */
  colours: Partial<Colours>;
  logos: LogoChanges;
  /** The suggestion with these colours, so that the theme records its origin. */
  suggestionId: string | undefined;
}

/** Saves the changes. Logos first: if they are rejected, nothing is changed. @throws ApiError */
export async function saveTheme(id: string, { colours, logos, suggestionId }: Save): Promise<Changed> {
  const put = (texts: Partial<Colours>): Promise<Changed> =>
    dataOf(
      api.PUT('/api/tenants/{id}/theme', {
        params: { path: { id } },
        body: texts,
        bodySerializer: () => formOf(texts, logos),
      }),
    );
  if (suggestionId === undefined) return put(colours);
  if (Object.keys(logos).length > 0) await put({});
  const body = { suggestion_id: suggestionId };
  return dataOf(api.POST('/api/tenants/{id}/theme/apply-suggestion', { params: { path: { id } }, body }));
}

function formOf(texts: Partial<Colours>, logos: LogoChanges): FormData {
  const form = new FormData();
  for (const [name, hex] of Object.entries(texts)) form.append(name, hex);
  for (const [name, file] of Object.entries(logos)) form.append(name, file ?? '');
  return form;
}
