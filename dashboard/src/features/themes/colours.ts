import type { components } from '../../api/schema.ts';

export type Theme = components['schemas']['TenantTheme'];
export type Suggestion = components['schemas']['ThemeSuggestion'];
export type Analysis = components['schemas']['ThemeSuggestions'];

export const colourFields = [
  'primary_color',
  'secondary_color',
  'accent_color',
  'text_color',
  'sidebar_color',
] as const;
export type ColourField = (typeof colourFields)[number];
/** Five colours, each `#RRGGBB` in upper case. */
export type Colours = Record<ColourField, string>;

const eachField = (value: (field: ColourField) => string): Colours => ({
  primary_color: value('primary_color'),
  secondary_color: value('secondary_color'),
  accent_color: value('accent_color'),
  text_color: value('text_color'),
  sidebar_color: value('sidebar_color'),
});

export const coloursOfTheme = (theme: Theme): Colours => eachField((field) => theme[field]);

/** The colours that a suggestion becomes when it is applied: the sidebar takes the darkest step of its palette. */
export const coloursOfSuggestion = (suggestion: Suggestion): Colours =>
  eachField((field) => (field === 'sidebar_color' ? suggestion.palette_json['950'] : suggestion[field]));

export const sameColours = (one: Colours, other: Colours): boolean =>
  colourFields.every((field) => one[field] === other[field]);

/** A colour as people type it (`1d4ed8`, `#abc`) in the form `#RRGGBB`; undefined where it is none. */
export function hexOf(typed: string): string | undefined {
  const digits = typed.trim().replace(/^#/, '').toUpperCase();
  if (/^[0-9A-F]{6}$/.test(digits)) return `#${digits}`;
  return /^[0-9A-F]{3}$/.test(digits) ? `#${digits.replace(/./g, '$&$&')}` : undefined;
}

/** Black or white, whichever can be read better on a colour (relative luminance of WCAG 2): as the sample application does. */
export function readableOn(hex: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#FFFFFF';
}
