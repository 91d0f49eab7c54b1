import type { FullTenant } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Progress } from '../../../components/data/progress.tsx';
import { timeText } from '../../../components/data/time.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import type { Analysis, Colours } from '../colours.ts';
import { sentence } from '../manager-text.ts';
import { themeText } from '../messages.ts';
import { siteName } from '../origin.tsx';
import type { LogoField } from '../save-theme.ts';
import { AnalysisForm } from './analysis-form.tsx';
import { FoundPart } from './found-part.tsx';
import { SuggestionList } from './suggestion-list.tsx';
import { useAnalysis } from './use-analysis.ts';
import styles from './website.module.css';

export interface WebsitePartProps {
  tenant: FullTenant;
  /** The saved theme's colours. */
  saved: Colours;
  /** The values in the form. */
  colours: Colours;
  /** Puts colours or a logo into the form; undefined if the user may not edit. */
  onColours?: (colours: Colours) => void;
  onLogo?: (field: LogoField, file: File) => void;
}

/** Themes suggested from a website: request, progress and side-by-side preview. */
export function WebsitePart({ tenant, saved, colours, onColours, onLogo }: WebsitePartProps) {
  const { all, known, analysis, error, open } = useAnalysis(tenant.id);
  if (!known) return <Waiting error={error} />;
  if (all.length === 0 && !onColours) return null;
  const choices = Object.fromEntries(
    all.map((one) => [one.analysis_id, `${siteName(one.website_url)}, ${timeText(one.created_at)}`]),
  );
  return (
    <section className={styles.website}>
      <PagePart
        title={onColours ? themeText.website : themeText.websiteOfViewer}
        hint={onColours && themeText.websiteHint}
      >
        {all.length > 1 && analysis && (
          <div className={styles.earlier}>
            <SelectField
              bare
              label={themeText.earlier}
              value={analysis.analysis_id}
              options={choices}
              onChange={open}
            />
          </div>
        )}
      </PagePart>
      {onColours && (
        <AnalysisForm tenantId={tenant.id} running={all[0]?.status === 'processing'} onStarted={() => open(null)} />
      )}
      {all.length > 0 && !analysis && <Waiting error={error} />}
      {analysis?.status === 'processing' && <AnalysisProgress analysis={analysis} />}
      {analysis?.status === 'failed' && (
        <div className={styles.failed} role="alert">
          <strong>{themeText.failed(siteName(analysis.website_url))}</strong>
          <span>{sentence(analysis.error ?? '')}</span>
          <span>{themeText.failedHint}</span>
        </div>
      )}
      {analysis?.status === 'complete' && (
        <>
          <FoundPart analysis={analysis} onLogo={onLogo} />
          <SuggestionList tenant={tenant} analysis={analysis} saved={saved} colours={colours} onColours={onColours} />
        </>
      )}
    </section>
  );
}

/** A running analysis. */
function AnalysisProgress({ analysis: { current_step: step, website_url } }: { analysis: Analysis }) {
  return (
    <section className={`${parts.card} ${styles.progress}`}>
      <h3>{themeText.analysing(siteName(website_url))}</h3>
      <p role="status">{step === null ? themeText.queued : (themeText.steps[step] ?? step)}</p>
      <Progress label={themeText.analysing(siteName(website_url))} />
      <p className={parts.hint}>{themeText.analysingHint}</p>
    </section>
  );
}
