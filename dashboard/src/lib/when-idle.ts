/** Calls back when the page has nothing else to do: a phone has enough to do with the first page. Safari has no idle callbacks. */
export const whenIdle = (act: () => void): void => void (window.requestIdleCallback ?? setTimeout)(act);
