import type { ReactNode } from 'react';
import { Icon } from '../../../components/layout/icon.tsx';
import styles from './form.module.css';

export type FoundTone = 'plain' | 'good' | 'warn' | 'bad';

/** What a check of a field found, below it; read out when it changes. */
export const Found = ({ tone, children }: { tone: FoundTone; children: ReactNode }) => (
  <div className={styles.found} data-tone={tone} role="status">
    <Icon name={tone} />
    <p>{children}</p>
  </div>
);
