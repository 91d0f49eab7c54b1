import { useRef, useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import parts from '../../../components/components.module.css';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import styles from '../configuration.module.css';
import { configurationText } from '../messages.ts';
import type { ConfigValues } from '../use-config-form.ts';
import { EnvRowFields } from './env-row-fields.tsx';
import { type EnvRow, newRow, problemsOf } from './env-rows.ts';
import { PasteEnv } from './paste-env.tsx';

const words = configurationText.env;

/** Environment entries as rows of name and value. */
export function EnvEditor({ control }: { control: Control<ConfigValues> }) {
  const { field } = useController({ control, name: 'rows' });
  const { value: rows, onChange } = field;
  const problems = problemsOf(rows);
  const refused = rows.filter((row) => row.refused).length;
  const [pasting, setPasting] = useState(false);
  const add = useRef<HTMLDivElement>(null);
  const change = (row: EnvRow): void =>
    onChange(rows.map((one) => (one.id === row.id ? { ...row, refused: undefined } : one)));
  const remove = (row: EnvRow): void => {
    onChange(rows.filter(({ id }) => id !== row.id));
    // The pressed button was removed.
    add.current?.querySelector('button')?.focus();
  };
  return (
    <section className={parts.card}>
      <PagePart title={words.title} hint={words.hint} />
      {rows.length === 0 && <p className={styles.none}>{words.empty}</p>}
      {rows.length > 0 && (
        <>
          <div className={styles.heads} aria-hidden="true">
            <span>{words.name}</span>
            <span>{words.value}</span>
          </div>
          <ul className={styles.rows}>
            {rows.map((row, index) => (
              <EnvRowFields
                key={row.id}
                row={row}
                place={index + 1}
                problem={problems[row.id] ?? row.refused}
                onChange={change}
                onRemove={() => remove(row)}
              />
            ))}
          </ul>
        </>
      )}
      <div className={styles.tools} ref={add}>
        <Button onClick={() => onChange([...rows, newRow()])}>
          <Icon name="add" />
          {words.add}
        </Button>
        <Button onClick={() => setPasting(true)}>{words.paste}</Button>
        {refused > 0 && (
          <Button onClick={() => onChange(rows.filter((row) => !row.refused))}>{words.dropRefused(refused)}</Button>
        )}
      </div>
      {pasting && <PasteEnv rows={rows} onTaken={onChange} onClose={() => setPasting(false)} />}
    </section>
  );
}
