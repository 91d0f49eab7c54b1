import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { themeText } from '../messages.ts';
import styles from '../theme.module.css';

interface SaveBarProps {
  /** The id of the saved object. */
  form: string;
  /** The total. */
  changes: number;
  saving: boolean;
  disabled: boolean;
  /** Whether a field has an error. */
  refused: boolean;
  error: unknown;
  onDiscard(): void;
}

/** Stays visible while there are unsaved changes. */
export function SaveBar({ form, changes, saving, disabled, refused, error, onDiscard }: SaveBarProps) {
  if (changes === 0) return null;
  return (
    <div className={styles.saveBar}>
      <ErrorNote error={error} />
      <div>
        <strong role="status" className={styles.unsaved}>
          {refused ? themeText.unsavedRefused : themeText.unsaved(changes)}
        </strong>
        <Button onClick={onDiscard} disabled={saving}>
          {themeText.discard}
        </Button>
        <Button variant="primary" type="submit" form={form} disabled={disabled || saving}>
          {saving ? themeText.saving : themeText.save}
        </Button>
      </div>
    </div>
  );
}
