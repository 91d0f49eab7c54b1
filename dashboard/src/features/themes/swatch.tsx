import styles from './theme.module.css';

/** A colour and its name. */
export const Swatch = ({ hex }: { hex: string }) => (
  <span className={styles.named}>
    <span className={styles.swatch} style={{ background: hex }} />
    <code>{hex}</code>
  </span>
);
