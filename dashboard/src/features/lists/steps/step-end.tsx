import type { ReactNode } from 'react';
import { ButtonLink } from '../../../components/form/button.tsx';
import styles from '../lists.module.css';

interface StepEndProps {
  /** The URL of the previous step. */
  back?: { to: string; name: string };
  /** Text next to the button that continues. */
  note?: ReactNode;
  /** The next step. */
  children?: ReactNode;
}

/** The footer of a step, with Back and the primary action; stays in view. */
export const StepEnd = ({ back, note, children }: StepEndProps) => (
  <div className={styles.end}>
    {back && <ButtonLink to={back.to}>{back.name}</ButtonLink>}
    <div className={styles.endNote}>{note}</div>
    {children}
  </div>
);
