import { type ReactNode, useEffect, useRef } from 'react';
import styles from '../lists.module.css';

/** Height of the page's sticky header. Pixels. */
const barHeight = 60;

/** Wraps a step: scrolls to its start and focuses it when the step changes. */
export function StepFrame({ step, children }: { step: string | undefined; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const before = useRef(step);
  useEffect(() => {
    // The first step, and the step of a URL without one, are opened from other pages.
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
