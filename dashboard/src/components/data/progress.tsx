import styles from './progress.module.css';

interface ProgressProps {
  label: string;
  /** Of a hundred; without it work goes on for an unknown time. */
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
