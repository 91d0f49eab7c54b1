import { plainText } from '../../components/log/plain-text.ts';
import styles from './sites.module.css';

/** A program's output or a file, unchanged, in a scrollable box. */
export const Output = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section className={styles.output} tabIndex={0} aria-label={label}>
    <pre>{text.split('\n').map(plainText).join('\n')}</pre>
  </section>
);
