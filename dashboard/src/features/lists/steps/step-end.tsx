import type { ReactNode } from 'react';
import { ButtonLink } from '../../../components/form/button.tsx';
import styles from '../lists.module.css';

interface StepEndProps {
  /** Where the step before is. */
  back?: { to: string; name: string };
  /** Text next to the button that continues. */
  note?: ReactNode;
  /** The way on. */
  children?: ReactNode;
}

/** The end of a step: the way back, and the one clear way on; it stays in view. */
export const StepEnd = ({ back, note, children }: StepEndProps) => (
  <div className={styles.end}>
    {back && <ButtonLink to={back.to}>{back.name}</ButtonLink>}
    <div className={styles.endNote}>{note}</div>
    {children}
  </div>
);
