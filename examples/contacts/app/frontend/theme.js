/**
 * The theme as CSS variables, each colour with one that can be read upon it.
 * @param {import('../shared/environment.js').Environment} environment
 */
export function themeStyle(environment) {
  const colours = ['primary', 'secondary', 'accent', 'text', 'sidebar'].flatMap((name) => {
    const colour = environment[`THEME_${name.toUpperCase()}_COLOR`];
    return [`--${name}: ${colour};`, `--on-${name}: ${readableOn(colour)};`];
  });
  return `:root {\n  ${colours.join('\n  ')}\n}\n`;
}

/** Black or white, whichever contrasts more (relative luminance as WCAG 2 defines it). */
function readableOn(colour) {
  const [red, green, blue] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#FFFFFF';
}
