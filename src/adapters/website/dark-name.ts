const className = /^(dark|dark-mode|theme-dark|is-dark|night|dark-theme)$/;

/** Whether a class name marks a page's dark theme. */
export const isDarkClass = (name: string): boolean => className.test(name);

/** The theme that an attribute such as `data-theme="dark"` names. */
export function themeNamed(attribute: string, value: string): 'dark' | 'light' | undefined {
  if (!/theme|mode|scheme|data-bs/i.test(attribute)) return undefined;
  if (/dark|night/i.test(value)) return 'dark';
  return /light|default/i.test(value) ? 'light' : undefined;
}

/**
 * Whether the attributes of `<html>` or `<body>` say that the page is shown in its dark theme. One that is called after a theme
 * (`data-dark-theme`) only defines it.
 */
export function isShownDark(classes: readonly string[], attributes: Readonly<Record<string, string>>): boolean {
  if (classes.some(isDarkClass)) return true;
  return Object.entries(attributes).some(
    ([name, value]) => !/dark|light|class|style/i.test(name) && themeNamed(name, value.slice(0, 60)) === 'dark',
  );
}
