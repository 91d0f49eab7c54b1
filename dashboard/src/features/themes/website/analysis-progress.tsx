import parts from '../../../components/components.module.css';
import { Progress } from '../../../components/data/progress.tsx';
import type { Analysis } from '../colours.ts';
import { themeText } from '../messages.ts';
import { siteName } from '../origin.tsx';
import styles from './website.module.css';

/** An analysis that goes on. */
export function AnalysisProgress({ analysis: { current_step: step, website_url } }: { analysis: Analysis }) {
  return (
    <section className={`${parts.card} ${styles.progress}`}>
      <h3>{themeText.analysing(siteName(website_url))}</h3>
      <p role="status">{step === null ? themeText.queued : (themeText.steps[step] ?? step)}</p>
      <Progress label={themeText.analysing(siteName(website_url))} />
      <p className={parts.hint}>{themeText.analysingHint}</p>
    </section>
  );
}
