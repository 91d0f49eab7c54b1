import type { ReactNode } from 'react';
import styles from './note.module.css';

const signs = { good: '✓', warn: '!', bad: '✕', plain: 'i' } as const;

interface NoteProps {
  tone: keyof typeof signs;
  title: string;
  children?: ReactNode;
  /** The remedy. */
  actions?: ReactNode;
}

/** A note: what happened, and what it means. */
export const Note = ({ tone, title, children, actions }: NoteProps) => (
  <div className={styles.note} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
    <span className={styles.sign} aria-hidden="true">
      {signs[tone]}
    </span>
    <div className={styles.body}>
      <strong>{title}</strong>
      {children}
    </div>
    {actions && <div className={styles.actions}>{actions}</div>}
  </div>
);
