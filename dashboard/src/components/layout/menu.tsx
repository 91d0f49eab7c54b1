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

interface TriggerProps<T> {
  label: string;
  trigger: ReactNode;
  /** With a border, like other buttons. */
  bordered?: boolean;
  /** Of a menu that several buttons share, and what it is opened for. */
  shared?: { handle: Parts.Handle<T>; payload: T };
}

/** The button that opens a menu. */
export const MenuTrigger = <T,>({ label, trigger, bordered, shared }: TriggerProps<T>) => (
  <Parts.Trigger {...shared} className={`${styles.button} ${bordered ? '' : styles.quiet}`} aria-label={label}>
    {trigger}
  </Parts.Trigger>
);

interface PopupProps {
  entries: readonly MenuEntry[];
  /** At the bottom of the window: opens upwards, and stays there while the page scrolls. */
  fixed?: boolean;
  children?: ReactNode;
}

const MenuPopup = ({ entries, fixed, children }: PopupProps) => (
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
);

export const Menu = ({ entries, fixed, children, ...trigger }: PopupProps & Omit<TriggerProps<never>, 'shared'>) => (
  <Parts.Root modal={false}>
    <MenuTrigger {...trigger} />
    <MenuPopup entries={entries} {...(fixed ? { fixed } : {})}>
      {children}
    </MenuPopup>
  </Parts.Root>
);

/** What the buttons of a shared menu and the menu know each other by. */
export const createMenuHandle = Parts.createHandle;

interface SharedMenuProps<T> {
  handle: Parts.Handle<T>;
  entriesOf(payload: T): readonly MenuEntry[];
}

/** One menu for many buttons, such as those of a list's rows: a menu for each row takes long to draw. */
export const SharedMenu = <T,>({ handle, entriesOf }: SharedMenuProps<T>) => (
  <Parts.Root handle={handle} modal={false}>
    {({ payload }) => payload !== undefined && <MenuPopup entries={entriesOf(payload)} />}
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
            <Parts.RadioItemIndicator>
              <Icon name="chosen" />
            </Parts.RadioItemIndicator>
          </Parts.RadioItem>
        ))}
      </Parts.RadioGroup>
    </Parts.Group>
    <div className={styles.rule} />
  </>
);
