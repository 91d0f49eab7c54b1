import { type ReactNode, useId } from 'react';
import { ErrorCode, useDropzone } from 'react-dropzone';
import { listed } from '../../lib/figures.ts';
import styles from './file-drop.module.css';
import { dropText } from './messages.ts';

interface FileDropProps {
  label: string;
  hint: string;
  /** Endings by media type. */
  accept: Readonly<Record<string, string[]>>;
  /** A smaller form in a row of several; its button is not the page's primary action. */
  small?: boolean;
  onFile(file: File): void;
  children?: ReactNode;
}

/** A drop zone for one file that also opens the file chooser. */
export function FileDrop({ label, hint, accept, small = false, onFile, children }: FileDropProps) {
  const id = useId();
  const { getRootProps, getInputProps, isDragActive, fileRejections } = useDropzone({
    accept,
    multiple: false,
    // The label opens the chooser, the input has the focus.
    noClick: true,
    noKeyboard: true,
    noPaste: true,
    onDropAccepted: ([file]) => file && onFile(file),
  });
  const refused = fileRejections.flatMap(({ errors }) => errors);
  const wrongType = refused.some(({ code }) => code === ErrorCode.FileInvalidType);
  return (
    <div
      {...getRootProps({
        className: styles.drop,
        'data-over': isDragActive || undefined,
        'data-small': small || undefined,
      })}
    >
      {children}
      <input
        {...getInputProps({
          id,
          tabIndex: 0,
          style: {},
          'aria-label': undefined,
          'aria-describedby': `${id}-hint`,
          // The same file may be chosen again.
          onClick: ({ currentTarget }) => {
            currentTarget.value = '';
          },
        })}
      />
      <label htmlFor={id}>{label}</label>
      <p id={`${id}-hint`}>{hint}</p>
      {refused.length > 0 && (
        <p role="alert">{wrongType ? dropText.wrongType(listed(Object.values(accept).flat())) : dropText.several}</p>
      )}
    </div>
  );
}
