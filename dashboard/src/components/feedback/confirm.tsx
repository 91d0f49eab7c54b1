import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { text } from '../../lib/messages.ts';
import styles from '../components.module.css';
import { Button } from '../form/button.tsx';
import { TextField } from '../form/text-field.tsx';
import { Overlay } from '../layout/overlays.tsx';
import { ErrorNote } from './error-note.tsx';

interface ConfirmProps<T> {
  title: string;
  hint: string;
  /** Label of the button that confirms. */
  submit: string;
  /** The text that the user must type before an irreversible action. */
  typed?: string;
  bad?: boolean;
  /** Label of the button that cancels. */
  cancel?: string;
  /** Whether all required choices were made. */
  ready?: boolean;
  /** More choices. */
  children?: ReactNode;
  act(): Promise<T>;
  onDone(answer: T): void;
  onClose(): void;
}

/** A confirmation dialog that stays open with the error if the action fails. */
export function Confirm<T>(props: ConfirmProps<T>) {
  const { title, hint, submit, typed, bad, cancel = text.cancel, children, act, onDone, onClose } = props;
  const [given, setGiven] = useState('');
  const mutation = useMutation({
    mutationFn: act,
    onSuccess(answer) {
      onClose();
      onDone(answer);
    },
  });
  const ready = (props.ready ?? true) && (typed === undefined || given === typed);
  return (
    <Overlay place="middle" title={title} hint={hint} onClose={onClose}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !mutation.isPending) mutation.mutate();
        }}
      >
        {children}
        {typed !== undefined && (
          <TextField name="typed" label={text.typeToConfirm(typed)} value={given} onChange={setGiven} autoFocus />
        )}
        <ErrorNote error={mutation.error} />
        <div className={styles.formEnd}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button variant={bad ? 'danger' : 'primary'} type="submit" disabled={!ready || mutation.isPending}>
            {submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
