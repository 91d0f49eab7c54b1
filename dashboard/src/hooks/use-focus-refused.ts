import { type RefObject, useEffect } from 'react';

/**
 * Gives the focus to the first thing in a form that was refused, and so brings it into sight: what was pressed may be far
 * from it. Only once the reason is on the page, which is why it is no part of the request's own end.
 */
export function useFocusRefused(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>(refusedParts)?.focus();
  }, [form, error]);
}

const refusedParts = '[data-invalid]:is(input, textarea), [role="alert"][tabindex]';
