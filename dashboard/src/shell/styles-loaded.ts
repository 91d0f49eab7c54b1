/** How many times a page is reloaded for a missing file before it reports the error. */
const key = 'tenantry.reloaded-at';
const againAfterMs = 120_000;

const managerAnswers = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Loads the page again, unless it just was or the manager does not answer: the browser's own error page would take its place.
 * @returns whether it does
 */
async function reloadOnce(): Promise<boolean> {
  const before = Number(sessionStorage.getItem(key) ?? 0);
  if (Date.now() - before < againAfterMs || !(await managerAnswers())) return false;
  sessionStorage.setItem(key, String(Date.now()));
  location.reload();
  return true;
}

/** Style sheets that the page names and that could not be loaded: they have no sheet or, in Chromium, one without rules. */
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

/** Asks for a style sheet once more, in the place of the one that failed. */
const again = (link: HTMLLinkElement): Promise<void> =>
  new Promise((resolve, reject) => {
    const next = link.cloneNode() as HTMLLinkElement;
    next.addEventListener('load', () => resolve());
    next.addEventListener('error', () => reject(new Error(`The style sheet ${link.href} can’t be loaded`)));
    link.replaceWith(next);
  });

/**
 * Waits until the page's style sheets are there: without them it can't be used. One that failed (a network that changed) is asked
 * for again, then the page is loaded again.
 * @returns whether they are there; else the page is being loaded again, or nothing helped
 */
export async function stylesLoaded(): Promise<'loaded' | 'reloading' | 'failed'> {
  try {
    await Promise.all(missing().map(again));
    return 'loaded';
  } catch {
    return (await reloadOnce()) ? 'reloading' : 'failed';
  }
}

/** A page's code or style sheet that can't be loaded when the page is opened: the whole is loaded again, once. */
export function reloadWhenMissing(): void {
  addEventListener('vite:preloadError', () => void reloadOnce());
}
