import { Fragment, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { text } from '../../lib/messages.ts';
import { Confirm } from './confirm.tsx';
import { notifyError } from './toasts.tsx';

type Dialog = (close: () => void) => ReactNode;

let open: { id: number; dialog: Dialog } | undefined;
const listeners = new Set<() => void>();

function show(next: typeof open): void {
  open = next;
  for (const listener of listeners) listener();
}

/** Opens a dialog from anywhere, also from a menu or the command palette, which close before. */
export const openDialog = (dialog: Dialog): void => show({ id: (open?.id ?? 0) + 1, dialog });

/** Opens a dialog whose script is loaded on first use, or says that it can't be loaded. */
export const openLoadedDialog = (load: () => Promise<Dialog>): void => void load().then(openDialog, notifyError);

interface Question {
  title: string;
  hint: string;
  /** Label of the button that confirms. */
  submit: string;
  bad?: boolean;
  /** Label of the button that cancels. */
  keep?: string;
}

/** Asks for confirmation before an action that an accidental click should not start. */
export const confirm = ({ title, hint, submit, bad = false, keep = text.cancel }: Question, act: () => void): void =>
  openDialog((close) => (
    <Confirm
      title={title}
      hint={hint}
      submit={submit}
      bad={bad}
      cancel={keep}
      act={async () => undefined}
      onDone={act}
      onClose={close}
    />
  ));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where dialogs that were opened from anywhere are shown. */
export function Dialogs() {
  const shown = useSyncExternalStore(subscribe, () => open);
  return shown ? (
    <Suspense>
      <Fragment key={shown.id}>{shown.dialog(() => show(undefined))}</Fragment>
    </Suspense>
  ) : null;
}
