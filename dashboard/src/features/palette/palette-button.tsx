import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { notifyError } from '../../components/feedback/toasts.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { text } from '../../lib/messages.ts';
import styles from './palette-button.module.css';

interface PaletteProps {
  places: readonly { to: string; name: string }[];
}

type Palette = ComponentType<PaletteProps & { onClose(): void }>;

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Whether a dialog is open. Toasts are dialogs too, in a region of their own; they cover nothing. */
const isCovered = (): boolean =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].some(
    (dialog) => !dialog.closest('[role="region"]'),
  );

/** Opens the command palette, like Ctrl+K (⌘K); its script is loaded on first use. */
export function PaletteButton({ places, small }: PaletteProps & { small: boolean }) {
  const [open, setOpen] = useState(false);
  const [Loaded, setLoaded] = useState<Palette>();
  const loading = useRef(false);
  const show = useCallback(() => {
    setOpen(true);
    if (loading.current) return;
    loading.current = true;
    import('./palette.tsx')
      .then(({ Palette: loaded }) => setLoaded(() => loaded))
      .catch((error: unknown) => {
        loading.current = false;
        setOpen(false);
        notifyError(error);
      });
  }, []);
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (open) setOpen(false);
      // An open dialog or panel comes first.
      else if (!isCovered()) show();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [open, show]);
  return (
    <>
      <button
        type="button"
        className={styles.button}
        data-small={small || undefined}
        onClick={show}
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
      >
        <Icon name="search" />
        <span className={styles.words}>{text.palette}</span>
        <span className={styles.keys}>{isMac ? '⌘ K' : 'Ctrl K'}</span>
      </button>
      {open && Loaded && <Loaded places={places} onClose={() => setOpen(false)} />}
    </>
  );
}
