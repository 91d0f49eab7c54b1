import { useState } from 'react';
import parts from '../../components/components.module.css';
import { Button } from '../../components/form/button.tsx';
import { settingsText } from './messages.ts';
import { nameOf } from './setting.ts';
import type { ControlProps } from './setting-row.tsx';
import styles from './settings.module.css';

/** A secret: whether it is set, and a way to replace or clear it. It can't be read. */
export function SecretControl({ setting, drafts, labelling }: ControlProps) {
  const [writing, setWriting] = useState(false);
  const isSet = setting.value !== '';
  const changed = drafts.isChanged(setting);
  const draft = changed ? drafts.valueOf(setting) : '';
  // Once it is saved or taken back there is nothing more to write.
  const open = changed ? draft !== '' : writing;
  const name = nameOf(setting.key);
  const begin = isSet ? settingsText.replace : settingsText.setSecret;
  if (open)
    return (
      <input
        {...labelling}
        type="password"
        className={parts.control}
        autoComplete="new-password"
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
        autoFocus
        aria-label={settingsText.newValue(name)}
        value={draft}
        onChange={({ target: { value } }) => (value ? drafts.set(setting, value) : drafts.undo(setting.key))}
        onBlur={() => setWriting(false)}
      />
    );
  return (
    <div className={styles.secret}>
      <span className={styles.read}>
        {changed ? settingsText.toBeCleared : isSet ? settingsText.isSet : settingsText.isNotSet}
      </span>
      <Button
        id={labelling.id}
        aria-describedby={labelling['aria-describedby']}
        aria-label={settingsText.of(begin, name)}
        onClick={() => {
          drafts.undo(setting.key);
          setWriting(true);
        }}
      >
        {begin}
      </Button>
      {isSet && !changed && (
        <Button
          look="quiet"
          aria-label={settingsText.of(settingsText.clearSecret, name)}
          onClick={() => drafts.set(setting, '')}
        >
          {settingsText.clearSecret}
        </Button>
      )}
    </div>
  );
}
