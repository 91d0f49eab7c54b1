import type { ReactNode } from 'react';
import styles from '../components.module.css';

interface EmptyProps {
  title: string;
  hint: string;
  /** `h1` if it is the whole page. */
  heading?: 'h1' | 'h2';
  children?: ReactNode;
}

/** An empty state: what would be here, and how to add it. */
export const Empty = ({ title, hint, heading: Heading = 'h2', children }: EmptyProps) => (
  <div className={styles.empty}>
    <Heading>{title}</Heading>
    <p>{hint}</p>
    {children}
  </div>
);
