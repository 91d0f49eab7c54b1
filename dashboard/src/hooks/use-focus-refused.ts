import { type RefObject, useEffect } from 'react';

/**
 * Focuses the first rejected field of a form, which scrolls it into view. In an effect, since the field's error must be
 * rendered first.
 */
export function useFocusRefused(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>(refusedParts)?.focus();
  }, [form, error]);
}

const refusedParts = '[data-invalid]:is(input, textarea), [role="alert"][tabindex]';
