import { createElement, useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { openLoadedDialog } from '../../components/feedback/dialogs.tsx';

/** Shows the keyboard shortcuts. */
export const openShortcuts = (): void =>
  openLoadedDialog(async () => {
    const { ShortcutsDialog } = await import('./shortcuts-dialog.tsx');
    return (close) => createElement(ShortcutsDialog, { onClose: close });
  });

/** Within this time, a second key belongs to the first. Milliseconds. */
const sequenceMs = 1_000;

/** The shortcuts of every page, besides those of the command palette. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const wentAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (isTaken(event) || event.defaultPrevented) return;
      const follows = event.timeStamp - wentAt.current < sequenceMs;
      wentAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (event.key === '?') openShortcuts();
      else if (event.key === '/') focusSearch(event);
      else if (follows && event.key === 'h') void navigate('/');
      else if (follows && event.key === 't') void navigate('/tenants');
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [navigate]);
}

/** The search of the page, if it has one. */
function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
}

/** Whether a key is meant for what is being typed or chosen, or for an open dialog or menu. */
function isTaken({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true;
  const element = target instanceof HTMLElement ? target : undefined;
  return Boolean(
    element?.isContentEditable ||
      element?.closest('input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]'),
  );
}
