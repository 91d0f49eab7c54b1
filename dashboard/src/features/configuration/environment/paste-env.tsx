import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import styles from '../configuration.module.css';
import { configurationText } from '../messages.ts';
import { type EnvRow, merged } from './env-rows.ts';
import { readEnvText } from './env-text.ts';

interface PasteEnvProps {
  rows: readonly EnvRow[];
  onTaken(rows: EnvRow[]): void;
  onClose(): void;
}

const words = configurationText.pasteDialog;

/** Imports the entries of a `.env` file into the rows, after a preview. */
export function PasteEnv({ rows, onTaken, onClose }: PasteEnvProps) {
  const [pasted, setPasted] = useState('');
  const [replace, setReplace] = useState(false);
  const { entries, skipped } = readEnvText(pasted);
  const result = merged(rows, entries, replace);
  return (
    <Overlay place="middle" title={words.title} hint={words.hint} onClose={onClose}>
      <form
        className={`${parts.form} ${styles.paste}`}
        onSubmit={(event) => {
          event.preventDefault();
          // The form behind this dialog is a different one.
          event.stopPropagation();
          onTaken(result.rows);
          onClose();
        }}
      >
        <TextField name="env" label={words.label} type="textarea" value={pasted} onChange={setPasted} autoFocus />
        <div role="status">
          <p>{entries.size === 0 ? words.nothing : words.found(result.added, result.changed, result.same)}</p>
          {skipped.length > 0 && <p className={parts.wrong}>{words.skipped(skipped)}</p>}
        </div>
        <CheckField label={words.replace} checked={replace} onChange={setReplace} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={entries.size === 0}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
