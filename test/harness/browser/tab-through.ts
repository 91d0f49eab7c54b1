import type { Page } from 'playwright-core';

/** More elements than a page has that take the focus. */
const maxTabs = 150;

/** Moves the focus by Tab through a page. @returns how many elements took it, and those that look as they do without it */
export async function tabThrough(page: Page): Promise<{ count: number; unmarked: string[] }> {
  const unmarked: string[] = [];
  // The focus starts before the first element, also if the page has set it.
  await page.evaluate('document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")');
  for (let count = 0; count < maxTabs; count += 1) {
    await page.keyboard.press('Tab');
    const seen = await page.evaluate<string>(focusSeen);
    if (seen === 'end') return { count, unmarked };
    if (seen !== '') unmarked.push(seen);
  }
  throw new Error(`The focus did not leave the page after ${maxTabs} elements`);
}

/** A script for the page: 'end' at its end, the focused element's HTML if neither it nor its frame has an outline or a ring. */
const focusSeen = `(() => {
  const focused = document.activeElement;
  if (!focused || focused === document.body || focused.dataset.tabbed) return 'end';
  focused.dataset.tabbed = 'true';
  const looks = () =>
    [focused, focused.parentElement].map((element) => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
      const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && outlineColor !== 'rgba(0, 0, 0, 0)';
      return { isOutlined, boxShadow };
    });
  const withFocus = looks();
  focused.blur();
  const without = looks();
  focused.focus({ preventScroll: true, focusVisible: true });
  const isMarked = withFocus.some((look, at) => look.isOutlined || look.boxShadow !== without[at].boxShadow);
  return isMarked ? '' : focused.outerHTML.slice(0, 200);
})()`;
