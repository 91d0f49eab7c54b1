/** The pictures a theme may have, by the names of the form's and the answer's fields. */
export const logoNames = ['logo_full', 'logo_cropped', 'logo_icon', 'logo_name'] as const;
export type LogoName = (typeof logoNames)[number];

/** Files of a tenant's directory of logos. */
export interface Logo {
  /** What is shown at the asset path. */
  file: string;
  /** What the units are given: the same, or a smaller picture of it that fits into their environment. */
  unitFile: string;
  /** Derived from the full logo, and regenerated with it. */
  derived?: boolean;
}

export type Logos = Partial<Record<LogoName, Logo>>;

/** Where a logo is fetched; the name changes with the content. */
export const assetPath = (tenantId: string, file: string): string => `/api/tenants/${tenantId}/theme/assets/${file}`;

/** Every file that is in use. */
export const filesOf = (logos: Logos): Set<string> =>
  new Set(Object.values(logos).flatMap(({ file, unitFile }) => [file, unitFile]));
