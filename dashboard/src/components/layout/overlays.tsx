import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useRef, useState } from 'react';
import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';
import { typedGuardText } from '../feedback/messages.ts';
import { Button } from '../form/button.tsx';
import { Icon } from './icon.tsx';

interface OverlayProps {
  title: string;
  hint?: string;
  onClose(): void;
  children: ReactNode;
  /** At the side, for forms, or in the middle, for questions. */
  place: 'side' | 'middle';
}

/**
 * A dialog or side panel over the page. It traps the focus and returns it afterwards. A form with unsaved input asks for
 * confirmation before Escape, its Close button or a click outside closes it.
 */
export function Overlay({ title, hint, onClose, children, place }: OverlayProps) {
  // A field with autofocus takes the focus before the dialog can record what had it.
  const [opener] = useState(() => document.activeElement);
  const typed = useRef(false);
  const [asking, setAsking] = useState(false);
  const close = (): void => (place === 'side' && typed.current ? setAsking(true) : onClose());
  const goBack = (): HTMLElement | true =>
    opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : true;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.veil} />
        <Dialog.Popup
          className={place === 'side' ? styles.panel : styles.dialog}
          finalFocus={goBack}
          onInput={({ currentTarget, target }) => {
            // Input events of a dialog on top arrive here too.
            if (target instanceof Node && currentTarget.contains(target)) typed.current = true;
          }}
        >
          <div className={styles.panelHead}>
            <Dialog.Title className={styles.panelTitle}>{title}</Dialog.Title>
            <Dialog.Close className={styles.close} aria-label={text.close}>
              <Icon name="close" />
            </Dialog.Close>
          </div>
          {hint && <Dialog.Description className={styles.panelHint}>{hint}</Dialog.Description>}
          {children}
          {asking && <AskAboutTyped onStay={() => setAsking(false)} onLeave={onClose} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const AskAboutTyped = ({ onStay, onLeave }: { onStay(): void; onLeave(): void }) => (
  <Overlay place="middle" title={typedGuardText.title} hint={typedGuardText.hint} onClose={onStay}>
    <div className={styles.form}>
      <div className={styles.formEnd}>
        <Button variant="primary" onClick={onStay}>
          {typedGuardText.stay}
        </Button>
        <Button onClick={onLeave}>{typedGuardText.leave}</Button>
      </div>
    </div>
  </Overlay>
);
