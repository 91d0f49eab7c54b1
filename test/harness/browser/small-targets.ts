import type { Page } from 'playwright-core';

/** Width and height in CSS pixels that a target has at least (WCAG 2.2, 2.5.8). */
const minPx = 24;

/** Buttons, links outside of sentences, fields and checkboxes of a page that are too small, each with its size. */
export const smallTargets = (page: Page): Promise<string[]> => page.evaluate<string[]>(script);

/** A script for the page. A checkbox counts with its label, which is a target, too. */
const script = `(() => {
  const targets = 'a[href], button, summary, input, select, textarea, [role="button"], [role="checkbox"], [role="switch"], [role="radio"], [role="tab"], [role="combobox"], [role="menuitem"], [role="option"]';
  const isInSentence = (link) =>
    getComputedStyle(link).display === 'inline' &&
    [...link.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
  const sizeOf = (element) => {
    const boxes = [element, element.closest('label'), ...(element.labels ?? [])].filter(Boolean).map((one) => one.getBoundingClientRect());
    return { width: Math.max(...boxes.map((box) => box.width)), height: Math.max(...boxes.map((box) => box.height)) };
  };
  return [...document.querySelectorAll(targets)].flatMap((element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
    if (element.closest('[aria-hidden="true"], [inert], [data-base-ui-focus-guard]') || element.matches(':disabled, [aria-disabled="true"]')) return [];
    const own = element.getBoundingClientRect();
    // For screen readers only, such as a link that skips the navigation.
    if (own.width <= 1 || own.height <= 1 || own.bottom < 0) return [];
    if (element.matches('a') && isInSentence(element)) return [];
    const isChoice = element.matches('input[type="checkbox"], input[type="radio"], [role="checkbox"], [role="radio"], [role="switch"]');
    const { width, height } = isChoice ? sizeOf(element) : own;
    if (width >= ${minPx} - 0.5 && height >= ${minPx} - 0.5) return [];
    return [Math.round(width) + ' × ' + Math.round(height) + ' px: ' + element.outerHTML.slice(0, 200)];
  });
})()`;
