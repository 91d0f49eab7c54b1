import type { CSSProperties } from 'react';
import { type Colours, colourFields, readableOn } from '../colours.ts';
import { themeText } from '../messages.ts';
import { Picture } from '../picture.tsx';
import styles from './site-preview.module.css';

interface SitePreviewProps {
  name: string;
  colours: Colours;
  logo?: Blob | undefined;
  icon?: Blob | undefined;
  /** Small, for a row of several. */
  small?: boolean;
}

/** The colours as CSS variables of the sketch, each with a readable text colour. */
const variables = (colours: Colours): CSSProperties =>
  Object.fromEntries(
    colourFields.flatMap((field) => {
      const name = field.replace('_color', '');
      return [
        [`--${name}`, colours[field]],
        [`--on-${name}`, readableOn(colours[field])],
      ];
    }),
  );

/** A sketch of a tenant's pages in its colours, made like the sample application's. To assistive technology it is a picture. */
export const SitePreview = ({ name, colours, logo, icon, small = false }: SitePreviewProps) => (
  <div
    className={styles.preview}
    role="img"
    aria-label={themeText.previewOf(name)}
    data-small={small || undefined}
    style={variables(colours)}
  >
    <div aria-hidden="true" inert>
      {!small && (
        <div className={styles.tab}>
          <span className={styles.icon}>
            <Picture content={icon} alt="" />
          </span>
          <span>{name}</span>
        </div>
      )}
      <div className={styles.site}>
        <div className={styles.aside}>
          {logo && <Picture content={logo} alt="" className={styles.logo} />}
          <strong>{name}</strong>
          <div className={styles.counts}>
            {themeText.sketch.counts.map(([what, count]) => (
              <div key={what}>
                <span>{what}</span>
                <span>{count}</span>
              </div>
            ))}
          </div>
          {!small && <small>{themeText.sketch.version}</small>}
        </div>
        <div className={styles.main}>
          <div className={styles.search}>
            <span>{themeText.sketch.search}</span>
            <b>{themeText.sketch.go}</b>
          </div>
          <People />
          {!small && (
            <div className={styles.pages}>
              {themeText.sketch.pages} <u>{themeText.sketch.next}</u>
            </div>
          )}
        </div>
      </div>
    </div>
  </div>
);

const People = () => (
  <div className={styles.people}>
    <div className={styles.heads}>
      {themeText.sketch.columns.map((column) => (
        <span key={column}>{column}</span>
      ))}
    </div>
    {themeText.sketch.rows.map(([person, city, tag]) => (
      <div key={person}>
        <span>{person}</span>
        <span>{city}</span>
        <span>
          <i>{tag}</i>
        </span>
      </div>
    ))}
  </div>
);
