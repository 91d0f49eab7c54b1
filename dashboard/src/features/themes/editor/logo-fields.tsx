import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { Button } from '../../../components/form/button.tsx';
import { FileDrop } from '../../../components/form/file-drop.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { apiText } from '../../../lib/api-text.ts';
import type { Theme } from '../colours.ts';
import { themeText } from '../messages.ts';
import { Picture, ServedPicture } from '../picture.tsx';
import { type LogoChanges, type LogoField, mainLogos, otherLogos } from '../save-theme.ts';
import styles from '../theme.module.css';

const accept = {
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
  'image/webp': ['.webp'],
  'image/svg+xml': ['.svg'],
};

interface LogoFieldsProps {
  theme: Theme;
  changes: LogoChanges;
  onChange(changes: LogoChanges): void;
  /** Why the manager rejected a file, by field. */
  refused: Record<string, string>;
}

/** The logo variants: dropped or chosen, previewed, and stored when the theme is saved. */
export function LogoFields(props: LogoFieldsProps) {
  const { theme, changes, refused } = props;
  const [chosen, setChosen] = useState<boolean>();
  const inUse = otherLogos.some((field) => theme[field] || changes[field] !== undefined);
  // Opens and stays open if a file was rejected.
  const open = otherLogos.some((field) => refused[field]) || (chosen ?? inUse);
  return (
    <section className={parts.card}>
      <h2>{themeText.logos}</h2>
      <p className={parts.hint}>{themeText.logosHint}</p>
      <Logos fields={mainLogos} {...props} />
      <details className={styles.others} open={open} onToggle={(event) => setChosen(event.currentTarget.open)}>
        <summary>{themeText.otherLogos}</summary>
        <p className={parts.hint}>{themeText.otherLogosHint}</p>
        <Logos fields={otherLogos} {...props} />
      </details>
    </section>
  );
}

const Logos = ({ fields, theme, changes, onChange, refused }: LogoFieldsProps & { fields: readonly LogoField[] }) => (
  <div className={styles.logos}>
    {fields.map((field) => (
      <OneLogo
        key={field}
        field={field}
        saved={theme[field]}
        change={changes[field]}
        refused={refused[field]}
        onFile={(file) => onChange({ ...changes, [field]: file })}
        onKeep={() => {
          const { [field]: _, ...rest } = changes;
          onChange(rest);
        }}
      />
    ))}
  </div>
);

interface OneLogoProps {
  field: LogoField;
  saved: string | null;
  change: File | null | undefined;
  refused: string | undefined;
  onFile(file: File | null): void;
  onKeep(): void;
}

function OneLogo({ field, saved, change, refused, onFile, onKeep }: OneLogoProps) {
  const [name = '', hint = ''] = themeText.logoFields[field];
  return (
    <div className={styles.logo}>
      <h3>{name}</h3>
      <FileDrop small label={themeText.choose[field]} hint={hint} accept={accept} onFile={onFile}>
        <div className={styles.plate}>
          {change && <Picture content={change} alt={themeText.logoOf(name)} />}
          {change === undefined && saved && <ServedPicture place={saved} alt={themeText.logoOf(name)} />}
          {!change && !(change === undefined && saved) && <span>{themeText.noLogo}</span>}
        </div>
        {change && <p className={styles.file}>{themeText.logoChosen(plainText(change.name))}</p>}
        {change === null && <p className={styles.file}>{themeText.logoGoes}</p>}
      </FileDrop>
      {refused && (
        <p className={parts.wrong} role="alert" tabIndex={-1}>
          {themeText.refused(apiText(themeText.refusals, refused))}
        </p>
      )}
      {change !== undefined && (
        <Button variant="quiet" onClick={onKeep} aria-label={themeText.ofLogo(themeText.keepLogo, name)}>
          {themeText.keepLogo}
        </Button>
      )}
      {change === undefined && saved && (
        <Button variant="quiet" onClick={() => onFile(null)} aria-label={themeText.ofLogo(themeText.removeLogo, name)}>
          {themeText.removeLogo}
        </Button>
      )}
    </div>
  );
}
