import { useId, useState } from 'react';
import parts from '../../components/components.module.css';
import { Button } from '../../components/form/button.tsx';
import { settingsText } from './messages.ts';
import { descriptionOf, figure, nameOf, type Setting, shownValue } from './setting.ts';
import styles from './settings.module.css';
import type { Drafts } from './use-drafts.ts';

interface SettingRowProps {
  setting: Setting;
  drafts: Drafts;
  mayChange: boolean;
}

export interface ControlProps {
  setting: Setting;
  drafts: Drafts;
  /** The attributes that link it to its label, description and error. */
  labelling: { id: string; 'aria-describedby': string; 'aria-invalid'?: true };
}

/** A number's range and default. */
function boundsOf(setting: Setting): string {
  const { minimum, maximum, is_secret, value_type } = setting;
  if (is_secret) return '';
  const between = minimum !== null && maximum !== null && settingsText.between(figure(minimum), figure(maximum));
  const usual =
    (value_type !== 'string' || setting.default !== '') &&
    settingsText.defaultValue(shownValue(setting, setting.default));
  return [between, usual].filter(Boolean).join(' · ');
}

/** A setting: what it is called and means, and the field for it. */
export function SettingRow({ setting, drafts, mayChange }: SettingRowProps) {
  const id = useId();
  const { key } = setting;
  const wrong = drafts.wrong[key];
  const changed = drafts.isChanged(setting);
  const differs = !setting.is_secret && drafts.valueOf(setting) !== setting.default;
  const labelling = {
    id,
    'aria-describedby': `${id}-hint${wrong ? ` ${id}-wrong` : ''}`,
    ...(wrong ? { 'aria-invalid': true as const } : {}),
  };
  return (
    <div className={styles.row} data-changed={changed || undefined}>
      <div>
        {mayChange ? (
          <label className={parts.label} htmlFor={id}>
            {nameOf(key)}
          </label>
        ) : (
          <span className={parts.label}>{nameOf(key)}</span>
        )}
        {changed && <span className={styles.changed}>{settingsText.changed}</span>}
        <p id={`${id}-hint`} className={parts.hint}>
          {descriptionOf(setting)}. <span className={styles.bounds}>{boundsOf(setting)}</span>
        </p>
      </div>
      <div className={styles.value}>
        {mayChange ? (
          <Control setting={setting} drafts={drafts} labelling={labelling} />
        ) : (
          <span className={styles.read}>{shownValue(setting, setting.value)}</span>
        )}
        {wrong && (
          <span id={`${id}-wrong`} className={parts.wrong} role="alert">
            {wrong}
          </span>
        )}
        {mayChange && (changed || differs) && (
          <div className={styles.small}>
            {changed && (
              <Button
                variant="quiet"
                aria-label={settingsText.of(settingsText.undo, nameOf(key))}
                onClick={() => drafts.undo(key)}
              >
                {settingsText.undo}
              </Button>
            )}
            {differs && (
              <Button
                variant="quiet"
                aria-label={settingsText.of(settingsText.useDefault, nameOf(key))}
                onClick={() => drafts.set(setting, setting.default)}
              >
                {settingsText.useDefault}
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** For a unit in the plural: next to a field, whatever its value. */
const many = 2;

function Control(props: ControlProps) {
  const { setting, drafts, labelling } = props;
  const value = drafts.valueOf(setting);
  if (setting.is_secret) return <SecretControl {...props} />;
  if (setting.value_type === 'boolean')
    return (
      <div className={styles.flag}>
        <input
          {...labelling}
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => drafts.set(setting, String(event.target.checked))}
        />
        <span aria-hidden="true">{shownValue(setting, value)}</span>
      </div>
    );
  return (
    <div className={styles.field}>
      <input
        {...labelling}
        className={parts.control}
        {...(setting.value_type === 'string' ? {} : { inputMode: 'decimal', 'data-kind': 'figure' })}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => drafts.set(setting, event.target.value)}
      />
      {setting.unit && <span>{settingsText.unit(setting.unit, many)}</span>}
    </div>
  );
}

/** A secret: whether it is set, and a way to replace or clear it. It can't be read. */
function SecretControl({ setting, drafts, labelling }: ControlProps) {
  const [writing, setWriting] = useState(false);
  const isSet = setting.value !== '';
  const changed = drafts.isChanged(setting);
  const draft = changed ? drafts.valueOf(setting) : '';
  // After saving or discarding there is nothing to write.
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
          variant="quiet"
          aria-label={settingsText.of(settingsText.clearSecret, name)}
          onClick={() => drafts.set(setting, '')}
        >
          {settingsText.clearSecret}
        </Button>
      )}
    </div>
  );
}
