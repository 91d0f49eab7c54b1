import type { ReactNode } from 'react';
import styles from '../components.module.css';

/** An empty state: what would be here, and how to add it. */
export const Empty = ({ title, hint, children }: { title: string; hint: string; children?: ReactNode }) => (
  <div className={styles.empty}>
    <h2>{title}</h2>
    <p>{hint}</p>
    {children}
  </div>
);
