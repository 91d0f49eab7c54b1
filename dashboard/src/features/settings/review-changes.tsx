import { useState } from 'react';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { settingsText } from './messages.ts';
import { nameOf, namesOf, type Setting, shownValue } from './setting.ts';
import styles from './settings.module.css';
import type { Change, SettingsForm } from './use-settings-form.ts';

interface ReviewChangesProps {
  form: SettingsForm;
  onClose(): void;
  onDone(outcome: Awaited<ReturnType<SettingsForm['save']>>): void;
}

/** Shows the changes before saving; if saving fails midway, what was saved and what was not. */
export function ReviewChanges({ form, onClose, onDone }: ReviewChangesProps) {
  const [saved, setSaved] = useState<readonly Setting[]>([]);
  return (
    <Confirm
      title={settingsText.reviewTitle(form.changes.length)}
      hint={settingsText.reviewHint}
      submit={settingsText.submit}
      act={() => form.save((setting) => setSaved((before) => [...before, setting]))}
      onDone={onDone}
      onClose={onClose}
    >
      {saved.length > 0 && <p role="status">{settingsText.savedSoFar(namesOf(saved))}</p>}
      <table className={styles.review}>
        <thead>
          <tr>
            <th scope="col">{settingsText.columns.what}</th>
            <th scope="col">{settingsText.columns.before}</th>
            <th scope="col">{settingsText.columns.after}</th>
          </tr>
        </thead>
        <tbody>
          {form.changes.map((change) => (
            <tr key={change.setting.key}>
              <th scope="row">{nameOf(change.setting.key)}</th>
              <td>{shownValue(change.setting, change.setting.value)}</td>
              <td>{after(change)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Confirm>
  );
}

const after = ({ setting, value }: Change): string =>
  setting.is_secret && value !== '' ? settingsText.newSecret : shownValue(setting, value);
