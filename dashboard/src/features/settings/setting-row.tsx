import { useId, useState } from 'react';
import { useController } from 'react-hook-form';
import parts from '../../components/components.module.css';
import { Button } from '../../components/form/button.tsx';
import { settingsText } from './messages.ts';
import { descriptionOf, figure, nameOf, type Setting, shownValue } from './setting.ts';
import styles from './settings.module.css';
import type { SettingsForm } from './use-settings-form.ts';

interface SettingRowProps {
  setting: Setting;
  control: SettingsForm['control'];
  /** Whether its value differs from the saved one. */
  changed: boolean;
  mayChange: boolean;
}

interface ControlProps {
  setting: Setting;
  value: string;
  changed: boolean;
  /** Given the saved value, the change is undone. */
  onChange(value: string): void;
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
export function SettingRow({ setting, control, changed, mayChange }: SettingRowProps) {
  const id = useId();
  const { key } = setting;
  const { field, fieldState } = useController({ control, name: key });
  const { value, onChange } = field;
  const wrong = fieldState.error?.message;
  const differs = !setting.is_secret && value !== setting.default;
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
          <Control setting={setting} value={value} changed={changed} onChange={onChange} labelling={labelling} />
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
                onClick={() => onChange(setting.value)}
              >
                {settingsText.undo}
              </Button>
            )}
            {differs && (
              <Button
                variant="quiet"
                aria-label={settingsText.of(settingsText.useDefault, nameOf(key))}
                onClick={() => onChange(setting.default)}
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
  const { setting, value, onChange, labelling } = props;
  if (setting.is_secret) return <SecretControl {...props} />;
  if (setting.value_type === 'boolean')
    return (
      <div className={styles.flag}>
        <input
          {...labelling}
          type="checkbox"
          checked={value === 'true'}
          onChange={(event) => onChange(String(event.target.checked))}
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
        onChange={(event) => onChange(event.target.value)}
      />
      {setting.unit && <span>{settingsText.unit(setting.unit, many)}</span>}
    </div>
  );
}

/** A secret: whether it is set, and a way to replace or clear it. It can't be read. */
function SecretControl({ setting, value, changed, onChange, labelling }: ControlProps) {
  const [writing, setWriting] = useState(false);
  const isSet = setting.value !== '';
  const draft = changed ? value : '';
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
        onChange={({ target }) => onChange(target.value || setting.value)}
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
          onChange(setting.value);
          setWriting(true);
        }}
      >
        {begin}
      </Button>
      {isSet && !changed && (
        <Button
          variant="quiet"
          aria-label={settingsText.of(settingsText.clearSecret, name)}
          onClick={() => onChange('')}
        >
          {settingsText.clearSecret}
        </Button>
      )}
    </div>
  );
}
