import { type Hex, oklchOf } from './colour.ts';

/** Default colours of frameworks, which count as brand colours only if nothing better is found. */
const frameworkColours = new Set(
  [
    // Bootstrap 3, 4 and 5
    '#337ab7 #2e6da4 #286090 #5cb85c #5bc0de #f0ad4e #d9534f #428bca',
    '#007bff #0069d9 #0056b3 #28a745 #17a2b8 #ffc107 #dc3545 #6f42c1 #e83e8c #fd7e14 #20c997',
    '#0d6efd #0b5ed7 #0a58ca #6610f2 #d63384 #198754 #0dcaf0 #86b7fe #084298 #842029 #cfe2ff',
    // WordPress: its palette and its administration
    '#f78da7 #cf2e2e #ff6900 #fcb900 #7bdcb5 #00d084 #8ed1fc #0693e3 #9b51e0 #007cba #006ba1 #32373c #2271b1',
    // Material's examples, Webflow, Tailwind's ring, what browsers give links
    '#6200ee #3700b3 #018786 #03dac6 #b00020 #3898ec #0082f3 #3b82f6 #0000ee #551a8b #0000ff',
  ]
    .join(' ')
    .toUpperCase()
    .split(' '),
);

export const isFrameworkColour = (hex: Hex): boolean => frameworkColours.has(hex);

const states =
  /(^|[-_.#\s])(success|danger|warn(ing)?|errors?|info|alerts?|destructive|invalid|valid|required|notice|toast|positive|negative|critical|caution|fail(ed|ure)?|is-error|sale|promo-badge)([-_.#\s\d]|$)/i;
const strangers =
  /(^|[-_.#\s])(facebook|twitter|linkedin|pinterest|whatsapp|instagram|youtube|reddit|telegram|tiktok|vimeo|tumblr|google|paypal|messenger|fb|social|share|cookies?|consent|gdpr|ccpa|cc|cky|onetrust|cmplz|recaptcha|hljs|highlight|prism|token|syntax|chroma|codehilite|wp-admin|admin-bar|wpadminbar|debug|leaflet|mapboxgl|select2|flatpickr|swiper|slick|fancybox|lightbox|mce|ql)([-_.#\s\d]|$)/i;

/** Whether by its names a rule, element or custom property is for states (errors) or for others' parts (share buttons, consent, code). */
export const isNoise = (names: string): boolean => states.test(names) || strangers.test(names);

/**
 * How far a colour can be a brand's: 0 for greys, 1 for what is colourful. Tints and shades that are nearly white or black count little.
 */
export function brandliness(hex: Hex): number {
  const { l, c, h } = oklchOf(hex);
  const colourful = Math.min(1, Math.max(0, (c - 0.02) / 0.035));
  const extreme = l > 0.93 ? 0.15 : l < 0.2 ? 0.3 : 1;
  return Math.max(0.002, colourful * extreme) * (isSlate({ l, c, h }) ? 0.15 : 1) * (isFrameworkColour(hex) ? 0.08 : 1);
}

/** The bluish greys that frameworks write text in: dark or middling, hardly coloured. */
const isSlate = ({ l, c, h }: { l: number; c: number; h: number }): boolean =>
  c < 0.047 && l < 0.6 && h > 200 && h < 320;
