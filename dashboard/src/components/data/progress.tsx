import styles from './progress.module.css';

interface ProgressProps {
  label: string;
  /** Per cent; undefined: unknown progress. */
  percent?: number;
}

export const Progress = ({ label, percent }: ProgressProps) => (
  <progress
    className={styles.progress}
    aria-label={label}
    max={100}
    {...(percent === undefined ? {} : { value: percent })}
  />
);
