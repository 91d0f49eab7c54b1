import { Combobox } from '@base-ui/react/combobox';
import { useId, useRef } from 'react';
import parts from '../../../components/components.module.css';
import styles from '../../../components/form/select.module.css';
import { type Option, selectText } from '../../../components/form/select.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { listed } from '../../../lib/figures.ts';

interface MultiSelectProps {
  label: string;
  hint?: string;
  options: readonly Option[];
  values: readonly string[];
  onChange(values: string[]): void;
  /** Shown while nothing is chosen: what that means. */
  none: string;
}

/** A choice of several options, which can be searched. */
export function MultiSelect({ label, hint, options, values, onChange, none }: MultiSelectProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  // What is no longer an option can still be removed.
  const unknown = values.filter((value) => !options.some((option) => option.value === value));
  const all = [...options, ...unknown.map((value) => ({ value, label: value }))];
  const chosen = all.filter(({ value }) => values.includes(value));
  return (
    <div className={parts.field}>
      <label className={parts.label} htmlFor={id}>
        {label}
      </label>
      <Combobox.Root
        multiple
        items={all}
        value={chosen}
        onValueChange={(next) => {
          onChange(next.map(({ value }) => value));
          // What guards against the loss of input listens to the events of native fields.
          button.current?.dispatchEvent(new Event('input', { bubbles: true }));
        }}
      >
        <Combobox.Trigger
          ref={button}
          id={id}
          className={`${parts.control} ${styles.select}`}
          {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        >
          <span className={styles.value}>
            {chosen.length > 0 ? listed(chosen.map((option) => option.label)) : none}
          </span>
          <Icon name="open" />
        </Combobox.Trigger>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} className={styles.above}>
            <Combobox.Popup className={`${parts.menu} ${styles.popup}`} aria-label={label}>
              <Combobox.Input
                className={`${parts.control} ${styles.search}`}
                aria-label={selectText.search}
                placeholder={selectText.search}
              />
              <Combobox.Empty className={styles.empty}>{selectText.none}</Combobox.Empty>
              <Combobox.List className={styles.list}>
                {(option: Option) => (
                  <Combobox.Item key={option.value} value={option} className={parts.item} data-value={option.value}>
                    <span>{option.label}</span>
                    <Combobox.ItemIndicator>
                      <Icon name="chosen" />
                    </Combobox.ItemIndicator>
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {hint && (
        <span id={`${id}-hint`} className={parts.hint}>
          {hint}
        </span>
      )}
    </div>
  );
}
