import type { ReactNode } from 'react';
import { Icon } from '../layout/icon.tsx';
import styles from './note.module.css';

interface NoteProps {
  tone: 'good' | 'warn' | 'bad' | 'plain';
  title: string;
  children?: ReactNode;
  /** The remedy. */
  actions?: ReactNode;
}

/** A note: what happened, and what it means. */
export const Note = ({ tone, title, children, actions }: NoteProps) => (
  <div className={styles.note} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
    <span className={styles.sign}>
      <Icon name={tone} />
    </span>
    <div className={styles.body}>
      <strong>{title}</strong>
      {children}
    </div>
    {actions && <div className={styles.actions}>{actions}</div>}
  </div>
);
