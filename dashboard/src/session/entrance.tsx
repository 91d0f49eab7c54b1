import type { ReactNode } from 'react';
import { text } from '../text/en.ts';
import styles from './session.module.css';

/** The frame of the pages before the house. */
export const Entrance = ({ title, notice, children }: { title: string; notice?: string; children: ReactNode }) => (
  <main className={styles.page}>
    <title>{`${title} · ${text.product}`}</title>
    <div className={styles.brand}>
      <img src="/icon.svg" alt="" />
      {text.product}
    </div>
    <div className={styles.box}>
      <h1>{title}</h1>
      {notice && (
        <p className={styles.notice} role="status">
          {notice}
        </p>
      )}
      {children}
    </div>
  </main>
);

export const EntranceHint = ({ children }: { children: string }) => <p className={styles.hint}>{children}</p>;
