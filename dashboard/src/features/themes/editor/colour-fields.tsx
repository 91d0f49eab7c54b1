import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import parts from '../../../components/components.module.css';
import { TextField } from '../../../components/form/text-field.tsx';
import { type ColourField, colourFields } from '../colours.ts';
import { themeText } from '../messages.ts';
import { contrastQuery } from '../queries.ts';
import styles from '../theme.module.css';
import type { Draft } from './use-draft.ts';

/** Debounce of a colour before its contrast is requested. Milliseconds. */
const restMs = 150;

interface ColourFieldsProps {
  draft: Draft;
  /** The manager's field errors. */
  refused: Record<string, string>;
}

/** The five colours, each by a picker or as text, with its contrast and, where that is too low, the nearest colour that passes. */
export function ColourFields({ draft, refused }: ColourFieldsProps) {
  return (
    <section className={parts.card}>
      <h2>{themeText.colours}</h2>
      <div className={styles.colours}>
        {colourFields.map((field) => (
          <OneColour key={field} field={field} draft={draft} refused={refused[field]} />
        ))}
      </div>
    </section>
  );
}

interface OneColourProps {
  field: ColourField;
  draft: Draft;
  refused: string | undefined;
}

function OneColour({ field, draft, refused }: OneColourProps) {
  const [name = '', use = ''] = themeText.fields[field];
  const wrong = draft.wrong.includes(field);
  return (
    <div className={styles.colour}>
      <input
        type="color"
        aria-label={themeText.pick(name)}
        value={draft.colours[field].toLowerCase()}
        onChange={({ target }) => draft.set({ [field]: target.value.toUpperCase() })}
      />
      <TextField
        name={field}
        label={name}
        hint={use}
        value={draft.typed[field]}
        onChange={(value) => draft.set({ [field]: value })}
        error={wrong ? themeText.notAColour : refused}
      />
      {!wrong && <Contrast field={field} draft={draft} />}
    </div>
  );
}

function Contrast({ field, draft }: Omit<OneColourProps, 'refused'>) {
  const { data } = useQuery(contrastQuery(useSettled(draft.colours, restMs)));
  const pair = data?.pairs.find((one) => one.field === field);
  const warning = data?.warnings.find((one) => one.field === field);
  if (!pair) return null;
  const ratio = pair.contrast;
  if (!warning) return <p className={styles.passes}>{themeText.contrast.good(ratio)}</p>;
  return (
    <div className={styles.warning}>
      <p>{themeText.contrast.bad(themeText.contrast.seen[field] ?? '', ratio, warning.required)}</p>
      <button type="button" className={parts.button} onClick={() => draft.set({ [field]: warning.suggestion })}>
        <span className={styles.swatch} style={{ background: warning.suggestion }} />
        {themeText.contrast.use(warning.suggestion)}
      </button>
    </div>
  );
}

/** Debounces a value, so that not every intermediate step has an effect. */
function useSettled<T>(value: T, restMs: number): T {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal values are one
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [key, restMs]);
  return settled;
}
