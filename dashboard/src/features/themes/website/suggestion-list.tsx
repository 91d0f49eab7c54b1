import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../../../api/client.ts';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { type Analysis, type Colours, coloursOfSuggestion, type Suggestion, sameColours } from '../colours.ts';
import { descriptionOf, nameOf, reasoningOf } from '../manager-text.ts';
import { themeText } from '../messages.ts';
import { contrastQuery } from '../queries.ts';
import { Swatch } from '../swatch.tsx';
import theme from '../theme.module.css';
import { SitePreview } from './site-preview.tsx';
import styles from './suggestions.module.css';

interface SuggestionListProps {
  tenant: FullTenant;
  analysis: Analysis;
  saved: Colours;
  colours: Colours;
  onColours: ((colours: Colours) => void) | undefined;
}

/** Suggested themes side by side, each with a preview. */
export const SuggestionList = ({ tenant, analysis, saved, colours, onColours }: SuggestionListProps) => (
  <>
    <div className={styles.suggestionsHead}>
      <h3>{themeText.suggestions}</h3>
      {onColours && <p className={theme.fine}>{themeText.suggestionsHint}</p>}
    </div>
    <ol className={styles.suggestions}>
      {analysis.suggestions.map((suggestion) => {
        const its = coloursOfSuggestion(suggestion);
        const inForm = sameColours(its, colours);
        const place = sameColours(its, saved) ? themeText.isSaved : inForm ? themeText.inForm : undefined;
        return (
          <li key={suggestion.id} data-in-form={inForm || undefined}>
            <SitePreview small name={tenant.name} colours={its} />
            <SuggestionFacts suggestion={suggestion} colours={its} />
            <Take name={plainText(nameOf(suggestion))} place={place} take={onColours && (() => onColours(its))} />
          </li>
        );
      })}
    </ol>
  </>
);

function SuggestionFacts({ suggestion, colours }: { suggestion: Suggestion; colours: Colours }) {
  const { palette_json, primary_color, secondary_color, accent_color } = suggestion;
  return (
    <>
      <h4>{plainText(nameOf(suggestion))}</h4>
      <p className={theme.fine}>{plainText(descriptionOf(suggestion))}</p>
      <div className={styles.swatches}>
        {[primary_color, secondary_color, accent_color, suggestion.text_color].map((hex, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be the same
          <Swatch key={at} hex={hex} />
        ))}
      </div>
      <div className={styles.palette} role="img" aria-label={themeText.palette}>
        {Object.entries(palette_json).map(([step, hex]) => (
          <span key={step} style={{ background: hex }} title={`${step}: ${hex}`} />
        ))}
      </div>
      <SuggestedContrast colours={colours} />
      <details className={styles.why} open>
        <summary>{themeText.why}</summary>
        <p>{plainText(reasoningOf(suggestion))}</p>
      </details>
    </>
  );
}

function SuggestedContrast({ colours }: { colours: Colours }) {
  const { data } = useQuery(contrastQuery(colours));
  if (!data) return null;
  const names = data.warnings.map(({ field }) => themeText.fields[field as keyof Colours][0]);
  return names.length === 0 ? (
    <p className={styles.passes}>
      <Icon name="good" />
      {themeText.contrast.all}
    </p>
  ) : (
    <p className={styles.fails}>
      <Icon name="warn" />
      {themeText.contrast.some(names.join(', '))}
    </p>
  );
}

interface TakeProps {
  name: string;
  /** Where these colours are already used. */
  place: string | undefined;
  take: (() => void) | undefined;
}

function Take({ name, place, take }: TakeProps) {
  return (
    <div className={styles.take}>
      {take && (
        <Button onClick={take} aria-label={themeText.choiceOf(name)}>
          {themeText.use}
        </Button>
      )}
      {place && <span className={styles.place}>{place}</span>}
    </div>
  );
}
