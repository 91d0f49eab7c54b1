import { type DragEvent, type ReactNode, useId, useState } from 'react';
import styles from './file-drop.module.css';

interface FileDropProps {
  label: string;
  hint: string;
  /** Endings and media types that the browser's file chooser offers, as in `accept`. */
  accept: string;
  disabled?: boolean;
  /** A smaller form in a row of several; its button is not the page's primary action. */
  small?: boolean;
  onFile(file: File): void;
  children?: ReactNode;
}

/** A drop zone that also opens the file chooser. */
export function FileDrop({ label, hint, accept, disabled = false, small = false, onFile, children }: FileDropProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const take = (files: FileList | null): void => {
    const file = files?.[0];
    if (file && !disabled) onFile(file);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the input within it does the same by keyboard
    <div
      className={styles.drop}
      data-over={over || undefined}
      data-small={small || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
      <input
        id={id}
        type="file"
        accept={accept}
        disabled={disabled}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          take(event.target.files);
          // The same file may be chosen again.
          event.target.value = '';
        }}
      />
      <label htmlFor={id}>{label}</label>
      <p id={`${id}-hint`}>{hint}</p>
    </div>
  );
}
