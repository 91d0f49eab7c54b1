import { isLoadingAhead } from '../usual-pages.ts';

/** How many times a page is reloaded for a missing file before it reports the error. */
const key = 'tenantry.reloaded-at';
const againAfterMs = 120_000;

const managerAnswers = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Reloads the page, unless it was just reloaded or the manager does not answer: the browser's error page would replace it.
 * @returns whether it does
 */
export async function reloadOnce(): Promise<boolean> {
  const before = Number(sessionStorage.getItem(key) ?? 0);
  if (Date.now() - before < againAfterMs || !(await managerAnswers())) return false;
  sessionStorage.setItem(key, String(Date.now()));
  location.reload();
  return true;
}

/** Style sheets of the page that failed to load: they have no sheet or, in Chromium, one without rules. */
const missing = (): HTMLLinkElement[] =>
  [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter(
    ({ sheet }) => sheet === null || !hasRules(sheet),
  );

function hasRules(sheet: CSSStyleSheet): boolean {
  try {
    return sheet.cssRules.length > 0;
  } catch {
    return false;
  }
}

/** Loads a failed style sheet again, in its place. */
const again = (link: HTMLLinkElement): Promise<void> =>
  new Promise((resolve, reject) => {
    const next = link.cloneNode() as HTMLLinkElement;
    next.addEventListener('load', () => resolve());
    next.addEventListener('error', () => reject(new Error(`The style sheet ${link.href} can’t be loaded`)));
    link.replaceWith(next);
  });

/**
 * Waits until the page's style sheets are loaded. Retries a failed one (after a network change), then reloads
 * the page.
 * @returns whether they are loaded; otherwise the page reloads, or loading failed
 */
export async function stylesLoaded(): Promise<'loaded' | 'reloading' | 'failed'> {
  try {
    await Promise.all(missing().map(again));
    return 'loaded';
  } catch {
    return (await reloadOnce()) ? 'reloading' : 'failed';
  }
}

/** If the script of an opened page can't be loaded, reloads the whole page, once. */
export function reloadWhenMissing(): void {
  addEventListener('vite:preloadError', () => void (isLoadingAhead() || reloadOnce()));
}

/** Says that the page could not be loaded completely, with the words of index.html. */
export function sayNotLoaded(root: HTMLElement): void {
  root.replaceChildren();
  document.getElementById('not-loaded')?.removeAttribute('hidden');
}
