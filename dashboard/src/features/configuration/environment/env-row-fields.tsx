import { useId } from 'react';
import parts from '../../../components/components.module.css';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import styles from '../configuration.module.css';
import { configurationText } from '../messages.ts';
import { type EnvRow, isKeptSecret, isReplaced, keeping, looksSecret } from './env-rows.ts';

interface EnvRowFieldsProps {
  row: EnvRow;
  /** From 1. */
  place: number;
  problem: string | undefined;
  onChange(row: EnvRow): void;
  onRemove(): void;
}

const words = configurationText.env;

/** An entry: a saved one keeps its name; a saved secret shows no value until it is replaced. */
export function EnvRowFields({ row, place, problem, onChange, onRemove }: EnvRowFieldsProps) {
  const id = useId();
  const { name, value, saved } = row;
  const wrong = problem ? { 'aria-invalid': true, 'aria-describedby': `${id}-wrong`, 'data-invalid': true } : {};
  return (
    <li className={styles.row}>
      {saved === undefined ? (
        <input
          className={`${parts.control} ${styles.mono}`}
          aria-label={words.nameOf(place)}
          placeholder={words.name}
          value={name}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          onChange={(event) => onChange({ ...row, name: event.target.value.toUpperCase().trim() })}
          {...wrong}
        />
      ) : (
        <span className={`${styles.mono} ${styles.name}`}>{name}</span>
      )}
      {isKeptSecret(row) ? (
        <div className={styles.kept}>
          <span className={styles.dots}>{words.hidden}</span>
          <Button aria-label={words.replaceOf(name)} onClick={() => onChange({ ...row, value: '' })}>
            {words.replace}
          </Button>
        </div>
      ) : (
        <div className={styles.kept}>
          <textarea
            className={`${parts.control} ${styles.mono} ${styles.value}`}
            aria-label={words.valueOf(name)}
            data-secret={looksSecret(row) || undefined}
            rows={1}
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...row, value: event.target.value })}
            {...wrong}
          />
          {isReplaced(row) && (
            <Button aria-label={words.keepOf(name)} onClick={() => onChange(keeping(row))}>
              {words.keep}
            </Button>
          )}
        </div>
      )}
      <button type="button" className={parts.close} aria-label={words.remove(name)} onClick={onRemove}>
        <Icon name="close" />
      </button>
      {problem && (
        <span id={`${id}-wrong`} className={`${parts.wrong} ${styles.problem}`}>
          {problem}
        </span>
      )}
    </li>
  );
}
