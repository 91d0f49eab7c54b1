import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { text } from '../text/en.ts';
import { Icon } from './icon.tsx';
import styles from './parts.module.css';

interface OverlayProps {
  title: string;
  hint?: string;
  onClose(): void;
  children: ReactNode;
  /** At the side, for forms, or in the middle, for questions. */
  place: 'side' | 'middle';
}

/** What lies over the page until it is closed; the focus stays in it and goes back afterwards. */
export const Overlay = ({ title, hint, onClose, children, place }: OverlayProps) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={styles.veil} />
      <Dialog.Popup className={place === 'side' ? styles.panel : styles.dialog}>
        <div className={styles.panelHead}>
          <Dialog.Title className={styles.panelTitle}>{title}</Dialog.Title>
          <Dialog.Close className={styles.close} aria-label={text.close}>
            <Icon name="close" />
          </Dialog.Close>
        </div>
        {hint && <Dialog.Description className={styles.panelHint}>{hint}</Dialog.Description>}
        {children}
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
