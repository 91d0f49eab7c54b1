import { Toast } from '@base-ui/react/toast';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { text } from '../../lib/messages.ts';
import { whenIdle } from '../../lib/when-idle.ts';
import styles from '../components.module.css';
import { Icon } from '../layout/icon.tsx';

export const toasts = Toast.createToastManager();

export const notify = (title: string): void => void toasts.add({ title, type: 'done' });

/** The result of an action without a form. */
export function notifyError(error: unknown): void {
  const known = error instanceof ApiError ? error : undefined;
  const advice = known && text.errors.whatToDo[known.code];
  const description = [advice, known?.requestId && text.requestId(known.requestId)].filter(Boolean).join(' ');
  toasts.add({
    title: known?.words ?? text.errors.unexpected,
    description,
    type: 'error',
    priority: 'high',
    timeout: 0,
  });
}

export function Toasts() {
  const [idle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return (
    idle && (
      <Toast.Portal>
        <Toast.Viewport className={styles.toasts} aria-label={text.messages}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    )
  );
}

const List = () =>
  Toast.useToastManager().toasts.map((toast) => (
    // Base UI hides urgent ones, which it reads out besides, from screen readers; what can be focused must not be hidden.
    <Toast.Root key={toast.id} toast={toast} className={styles.toast} aria-hidden={false}>
      <div>
        <Toast.Title className={styles.toastTitle} />
        <Toast.Description className={styles.toastText} />
      </div>
      <Toast.Close className={styles.close} aria-label={text.dismiss} aria-hidden={false}>
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  ));
