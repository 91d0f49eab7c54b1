import parts from '../../../components/components.module.css';
import { Time } from '../../../components/data/time.tsx';
import { Button } from '../../../components/form/button.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { apiText } from '../../../lib/api-text.ts';
import type { Analysis } from '../colours.ts';
import { sentence } from '../manager-text.ts';
import { themeText } from '../messages.ts';
import { siteName } from '../origin.tsx';
import { Picture, ServedPicture, useServedPicture } from '../picture.tsx';
import type { LogoField } from '../save-theme.ts';
import { Swatch } from '../swatch.tsx';
import styles from './website.module.css';

type Found = NonNullable<Analysis['found']>;
type TakeLogo = ((field: LogoField, file: File) => void) | undefined;

/** The findings on the website: screenshot, colours and logos. */
export function FoundPart({ analysis, onLogo }: { analysis: Analysis; onLogo: TakeLogo }) {
  const { found, screenshot, website_url, warnings, finished_at } = analysis;
  const site = siteName(website_url);
  if (!found) return null;
  return (
    <section className={`${parts.card} ${styles.found}`}>
      <div className={styles.foundHead}>
        <h3>{plainText(found.title ?? found.site_name ?? site)}</h3>
        <p className={styles.fine}>
          {site}
          {finished_at && (
            <>
              , <Time at={finished_at} />
            </>
          )}
        </p>
      </div>
      {screenshot ? (
        <ServedPicture place={screenshot} alt={themeText.screenshot(site)} className={styles.screenshot} />
      ) : (
        <p className={styles.noScreenshot}>{themeText.noScreenshot}</p>
      )}
      <div className={styles.facts}>
        <FoundColours colors={found.colors} />
        <h4>{themeText.foundLogos}</h4>
        {found.logos.length === 0 && <p className={styles.fine}>{themeText.noLogos}</p>}
        <ul className={styles.logos}>
          {found.logos.map((logo, at) => (
            <FoundLogo key={logo.path} logo={logo} number={at + 1} onLogo={onLogo} />
          ))}
        </ul>
      </div>
      {warnings.length > 0 && (
        <ul className={styles.warnings}>
          {warnings.map((warning) => (
            <li key={warning}>{sentence(plainText(apiText(themeText.warnings, warning)))}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Maximum number shown; further ones are too weak to matter. */
const maxColours = 6;

const evidenceText = (from: string): string => apiText(themeText.evidence, from);

const FoundColours = ({ colors }: Pick<Found, 'colors'>) => (
  <>
    <h4>{themeText.foundColours}</h4>
    {colors.length === 0 && <p className={styles.fine}>{themeText.noColours}</p>}
    <ul className={styles.colors}>
      {colors.slice(0, maxColours).map(({ hex, from }) => (
        <li key={hex}>
          <Swatch hex={hex} />
          <span className={styles.fine}>{plainText(from.slice(0, 3).map(evidenceText).join(', '))}</span>
        </li>
      ))}
    </ul>
  </>
);

interface FoundLogoProps {
  logo: Found['logos'][number];
  number: number;
  onLogo: TakeLogo;
}

function FoundLogo({ logo: { path, kind }, number, onLogo }: FoundLogoProps) {
  const content = useServedPicture(path);
  const field: LogoField = kind === 'logo' ? 'logo_full' : 'logo_icon';
  const take = (): void => {
    if (content) onLogo?.(field, new File([content], `${kind}.${path.split('.').at(-1)}`, { type: content.type }));
  };
  const label = kind === 'logo' ? themeText.useAsLogo : themeText.useAsIcon;
  return (
    <li>
      <div className={styles.plate}>
        <Picture content={content} alt={themeText.foundLogo(number)} />
      </div>
      {onLogo && (
        <Button onClick={take} aria-label={`${label}: ${themeText.foundLogo(number)}`}>
          {label}
        </Button>
      )}
    </li>
  );
}
