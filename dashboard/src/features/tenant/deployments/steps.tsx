import type { Deployment } from '../../../api/client.ts';
import { duration } from '../../../components/data/time.tsx';
import { text } from '../../../lib/messages.ts';
import styles from '../tenant.module.css';

type Step = Deployment['steps'][number];

const signs = { pending: '○', running: '◐', success: '✓', failed: '✕', skipped: '–' } as const;

function took({ status, started, duration: seconds }: Step, now: number): string {
  if (status === 'running' && started) return duration((now - Date.parse(started)) / 1000);
  return seconds !== null && status !== 'skipped' ? duration(seconds) : '';
}

/** The steps of a piece of work in their order, each with its state and how long it took. */
export const Steps = ({ work: { steps, status, error }, now }: { work: Deployment; now: number }) => (
  <ol className={styles.steps}>
    {steps.map((one) => {
      // The step in which work was cancelled did not fail.
      const step: Step = status === 'cancelled' && one.status === 'failed' ? { ...one, status: 'skipped' } : one;
      return (
        <li key={step.name} data-status={step.status}>
          <span className={styles.sign} role="img" aria-label={text.step[step.status]}>
            {signs[step.status]}
          </span>
          <span>{step.name}</span>
          <span className={styles.took}>{took(step, now)}</span>
          {/* Said above already, where it is why the whole failed. */}
          {step.reason && !(status === 'failed' && step.reason === error?.message) && (
            <span className={styles.reason}>{step.reason}</span>
          )}
        </li>
      );
    })}
  </ol>
);
