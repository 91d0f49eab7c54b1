import { type ReactNode, useEffect, useRef } from 'react';
import styles from '../lists.module.css';

/** Of the page's own bar, which lies over what is scrolled below it. Pixels. */
const barHeight = 60;

/** Around a step: after a change of step, its beginning is in view and focused. */
export function StepFrame({ step, children }: { step: string | undefined; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const before = useRef(step);
  useEffect(() => {
    // The first step, and where an address without one leads, are come to from elsewhere.
    const moved = before.current !== undefined && before.current !== step;
    before.current = step;
    if (!moved) return;
    frame.current?.focus({ preventScroll: true });
    if ((frame.current?.getBoundingClientRect().top ?? 0) < barHeight)
      frame.current?.scrollIntoView({ block: 'start' });
  }, [step]);
  return (
    <div ref={frame} tabIndex={-1} className={styles.frame}>
      {children}
    </div>
  );
}
