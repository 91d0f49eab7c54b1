import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { text } from '../../../lib/messages.ts';
import { helpOf } from '../../../shell/help/help-links.ts';
import { shellText } from '../../../shell/messages.ts';
import styles from './session.module.css';

interface EntranceProps {
  title: string;
  notice?: string | undefined;
  children: ReactNode;
}

/** The layout of the pages without a session. */
export const AuthLayout = (props: EntranceProps) => (
  <main className={styles.page}>
    <AuthCard {...props} />
    <a className={styles.help} href={helpOf(useLocation().pathname)} target="_blank" rel="noreferrer">
      {shellText.help}
    </a>
  </main>
);

/** The content of that frame, also used in a dialog. */
export const AuthCard = ({ title, notice, children }: EntranceProps) => (
  <>
    <title>{`${title} · ${text.product}`}</title>
    <div className={styles.brand}>
      <img src="/icon.svg" alt="" width={40} height={40} />
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
  </>
);

export const AuthHint = ({ children }: { children: string }) => <p className={styles.hint}>{children}</p>;
