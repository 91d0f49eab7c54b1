import { Menu as Parts } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import styles from '../components.module.css';
import { Icon, type IconName } from './icon.tsx';

export interface MenuEntry {
  label: string;
  icon?: IconName;
  act(): void;
  bad?: boolean;
  disabled?: boolean;
}

interface MenuProps {
  label: string;
  trigger: ReactNode;
  entries: readonly MenuEntry[];
  /** With a border, like other buttons. */
  bordered?: boolean;
  /** At the bottom of the window: opens upwards, and stays there while the page scrolls. */
  fixed?: boolean;
  children?: ReactNode;
}

export const Menu = ({ label, trigger, entries, bordered, fixed, children }: MenuProps) => (
  <Parts.Root modal={false}>
    <Parts.Trigger className={`${styles.button} ${bordered ? '' : styles.quiet}`} aria-label={label}>
      {trigger}
    </Parts.Trigger>
    <Parts.Portal>
      <Parts.Positioner align="end" sideOffset={4} {...(fixed ? { side: 'top', positionMethod: 'fixed' } : {})}>
        <Parts.Popup className={styles.menu}>
          {children}
          {entries.map(({ label: name, icon, act, bad, disabled }) => (
            <Parts.Item
              key={name}
              className={`${styles.item} ${bad ? styles.itemBad : ''}`}
              onClick={act}
              disabled={disabled ?? false}
            >
              {icon && <Icon name={icon} />}
              <span>{name}</span>
            </Parts.Item>
          ))}
        </Parts.Popup>
      </Parts.Positioner>
    </Parts.Portal>
  </Parts.Root>
);

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: Record<T, string>;
  onChange(value: T): void;
}

/** A radio group in a menu. */
export const MenuChoice = <T extends string>({ label, value, options, onChange }: ChoiceProps<T>) => (
  <>
    <Parts.Group>
      <Parts.GroupLabel className={styles.groupLabel}>{label}</Parts.GroupLabel>
      <Parts.RadioGroup value={value} onValueChange={(next: T) => onChange(next)}>
        {Object.entries<string>(options).map(([option, name]) => (
          <Parts.RadioItem key={option} value={option} className={styles.item}>
            <span>{name}</span>
            <Parts.RadioItemIndicator>✓</Parts.RadioItemIndicator>
          </Parts.RadioItem>
        ))}
      </Parts.RadioGroup>
    </Parts.Group>
    <div className={styles.rule} />
  </>
);
