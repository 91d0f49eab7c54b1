import { Combobox } from '@base-ui/react/combobox';
import { Select as Plain } from '@base-ui/react/select';
import { useId, useRef } from 'react';
import { listed } from '../../lib/figures.ts';
import { translated } from '../../lib/language.ts';
import parts from '../components.module.css';
import { Icon } from '../layout/icon.tsx';
import styles from './select.module.css';

export interface OptionGroup {
  /** None: the options stand alone. */
  label?: string;
  options: readonly Option[];
}

export interface Option {
  value: string;
  label: string;
}

interface SelectProps {
  groups: readonly OptionGroup[];
  value: string;
  onChange(value: string): void;
  disabled?: boolean;
  /** Of the button that opens the list. */
  trigger: { id?: string; 'aria-label'?: string; 'aria-describedby'?: string };
  /** As wide as its content instead of its place. */
  narrow?: boolean;
}

/** More options than these can be searched. */
const mostWithoutSearch = 12;

/** A choice of one of several options; a long list can be searched. */
export function Select({ groups, value, onChange, disabled = false, trigger, narrow = false }: SelectProps) {
  const button = useRef<HTMLButtonElement>(null);
  const all = groups.flatMap(({ options }) => options);
  const choose = (next: string | null): void => {
    if (next === null) return;
    onChange(next);
    // What guards against the loss of input listens to the events of native fields.
    button.current?.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const common = {
    ...trigger,
    ref: button,
    'data-value': value,
    className: `${parts.control} ${styles.select} ${narrow ? styles.narrow : ''}`,
    children: (
      <>
        <span className={styles.value}>{all.find((option) => option.value === value)?.label ?? value}</span>
        <Icon name="open" />
      </>
    ),
  };
  if (all.length > mostWithoutSearch)
    return (
      <Combobox.Root
        items={groups.map(({ label, options }) => ({ label, items: options }))}
        value={all.find((option) => option.value === value) ?? null}
        onValueChange={(option) => choose(option?.value ?? null)}
        disabled={disabled}
        autoHighlight
      >
        <Combobox.Trigger {...common} />
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} className={styles.above}>
            <Combobox.Popup
              className={`${parts.menu} ${styles.popup}`}
              aria-label={trigger['aria-label'] ?? selectText.options}
            >
              <Combobox.Input
                className={`${parts.control} ${styles.search}`}
                aria-label={selectText.search}
                placeholder={selectText.search}
              />
              <Combobox.Empty className={styles.empty}>{selectText.none}</Combobox.Empty>
              <Combobox.List className={styles.list}>
                {({ label, items }: { label?: string; items: readonly Option[] }) => (
                  <Combobox.Group key={label ?? ''} items={items}>
                    {label && <Combobox.GroupLabel className={parts.groupLabel}>{label}</Combobox.GroupLabel>}
                    <Combobox.Collection>
                      {(option: Option) => (
                        <Combobox.Item
                          key={option.value}
                          value={option}
                          className={parts.item}
                          data-value={option.value}
                        >
                          <span>{option.label}</span>
                          <Combobox.ItemIndicator>
                            <Icon name="chosen" />
                          </Combobox.ItemIndicator>
                        </Combobox.Item>
                      )}
                    </Combobox.Collection>
                  </Combobox.Group>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    );
  return (
    <Plain.Root value={value} onValueChange={choose} disabled={disabled} modal={false}>
      <Plain.Trigger {...common} />
      <Plain.Portal>
        <Plain.Positioner sideOffset={4} alignItemWithTrigger={false} className={styles.above}>
          <Plain.Popup className={`${parts.menu} ${styles.popup}`}>
            <Plain.List className={styles.list}>
              {groups.map(({ label, options }) => (
                <Plain.Group key={label ?? ''}>
                  {label && <Plain.GroupLabel className={parts.groupLabel}>{label}</Plain.GroupLabel>}
                  {options.map((option) => (
                    <Plain.Item
                      key={option.value}
                      value={option.value}
                      className={parts.item}
                      data-value={option.value}
                    >
                      <Plain.ItemText>{option.label}</Plain.ItemText>
                      <Plain.ItemIndicator>
                        <Icon name="chosen" />
                      </Plain.ItemIndicator>
                    </Plain.Item>
                  ))}
                </Plain.Group>
              ))}
            </Plain.List>
          </Plain.Popup>
        </Plain.Positioner>
      </Plain.Portal>
    </Plain.Root>
  );
}

/** The texts of lists of options. */
export const selectText = translated({
  en: { search: 'Search', none: 'Nothing found', options: 'Options' },
  es: { search: 'Buscar', none: 'Sin resultados', options: 'Opciones' },
});

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
