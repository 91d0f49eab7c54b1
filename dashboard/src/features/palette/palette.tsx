import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import parts from '../../components/components.module.css';
import { StatusBadge } from '../../components/data/badge.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import type { Entry, EntryGroup } from './entries.ts';
import { paletteText } from './messages.ts';
import styles from './palette.module.css';
import { useEntries } from './use-entries.ts';

interface PaletteProps {
  places: readonly { to: string; name: string }[];
  onClose(): void;
}

/** The command palette: finds pages, tenants and actions by a few letters. */
export function Palette({ places, onClose }: PaletteProps) {
  const [search, setSearch] = useState('');
  const { groups, more } = useEntries(search, places);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={parts.veil} />
        <Dialog.Popup className={styles.palette} aria-label={paletteText.title}>
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            value={search}
            onValueChange={setSearch}
            autoHighlight="always"
            keepHighlight
            itemToStringValue={(entry: Entry) => entry.label}
          >
            <div className={styles.search}>
              <Icon name="search" />
              <Autocomplete.Input aria-label={paletteText.search} placeholder={paletteText.placeholder} />
            </div>
            <Autocomplete.Empty className={styles.empty}>
              {groups.length === 0 ? paletteText.nothing : null}
            </Autocomplete.Empty>
            <Autocomplete.List className={styles.list} aria-label={paletteText.title}>
              {(group: EntryGroup) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className={styles.group}>{group.value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(entry: Entry) => (
                      <Autocomplete.Item
                        key={entry.id}
                        value={entry}
                        className={styles.entry}
                        onClick={() => {
                          onClose();
                          entry.act();
                        }}
                      >
                        <span className={styles.label}>{entry.label}</span>
                        {entry.hint && <span className={styles.hint}>{entry.hint}</span>}
                        {entry.tenant && <StatusBadge status={entry.tenant.status} />}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            {more > 0 && <p className={styles.more}>{paletteText.more(more)}</p>}
          </Autocomplete.Root>
          <p className={styles.keys} aria-hidden="true">
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> {paletteText.keys.move}
            </span>
            <span>
              <kbd>↵</kbd> {paletteText.keys.select}
            </span>
            <span>
              <kbd>Esc</kbd> {paletteText.keys.close}
            </span>
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
