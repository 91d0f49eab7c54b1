import { useId, useRef, useState } from 'react';
import { text } from '../../lib/messages.ts';
import parts from '../components.module.css';
import { Button } from './button.tsx';
import styles from './copy-field.module.css';

interface CopyFieldProps {
  label: string;
  hint?: string;
  value: string;
}

/** A text with a copy button. */
export function CopyField({ label, hint, value }: CopyFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      // Without HTTPS, browsers offer pages only the old copy command, which copies the selection.
      setCopied(document.execCommand('copy'));
    }
  };
  return (
    <div className={parts.field}>
      <label className={parts.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.row}>
        <input
          ref={input}
          id={id}
          className={`${parts.control} ${styles.value}`}
          value={value}
          readOnly
          spellCheck={false}
          onFocus={(event) => event.target.select()}
          {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        />
        <Button onClick={() => void copy()}>{copied ? text.copied : text.copy}</Button>
      </div>
      {hint && (
        <span id={`${id}-hint`} className={parts.hint}>
          {hint}
        </span>
      )}
      <span className={styles.status} role="status">
        {copied ? text.copied : ''}
      </span>
    </div>
  );
}
