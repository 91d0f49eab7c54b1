import { useState } from 'react';
import type { Tenant } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { duration } from '../../../components/data/time.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { text } from '../../../lib/messages.ts';
import type { Draft } from './draft.ts';
import { upgradesText } from './messages.ts';
import styles from './upgrades.module.css';

interface DraftFormProps {
  draft: Draft;
  /** As typed or suggested. */
  version: string;
  newest: { version: string; tenant: string } | undefined;
  /** The chosen version, or else the newest, if its last upgrade was halted. */
  halted: string | undefined;
  /** Tenants selected in the list; without them, the filter applies. */
  selected: readonly { id: string; name: string }[] | undefined;
  wrong: Record<string, string>;
  onChange(changes: Partial<Draft>): void;
  onDeselect(): void;
  onSubmit(): void;
}

const words = upgradesText.form;
/** Names of selected tenants that are shown. */
const maxNamed = 12;

export function DraftForm(props: DraftFormProps) {
  const { draft, version, newest, halted, selected, wrong, onChange, onDeselect, onSubmit } = props;
  const [own, setOwn] = useState(words.ringChoices[draft.rings] === undefined);
  return (
    <form
      className={`${parts.card} ${styles.form}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <TextField
        name="version"
        label={words.version}
        hint={newest ? words.newest(newest.version, newest.tenant) : words.versionHint}
        value={version}
        onChange={(next) => onChange({ version: next })}
        error={wrong.version}
        required
      />
      {halted !== undefined && (
        <Note tone="warn" title={words.halted(halted)}>
          {words.haltedHint}
        </Note>
      )}
      <fieldset className={styles.group}>
        <legend>{words.which}</legend>
        {selected ? (
          <>
            <p>{words.selected(selected.length)}</p>
            <p className={styles.fine}>
              {selected
                .slice(0, maxNamed)
                .map(({ name }) => name)
                .join(', ')}{' '}
              {selected.length > maxNamed && words.more(selected.length - maxNamed)}
            </p>
            {wrong.selected && <p className={parts.wrong}>{wrong.selected}</p>}
            <div>
              <Button onClick={onDeselect}>{words.byFilter}</Button>
            </div>
          </>
        ) : (
          <>
            <SelectField<Tenant['status'] | ''>
              label={words.status}
              value={draft.status}
              options={{ '': words.anyStatus, ...text.status }}
              onChange={(status) => onChange({ status })}
            />
            <TextField
              name="q"
              label={words.search}
              hint={words.searchHint}
              value={draft.search}
              onChange={(search) => onChange({ search })}
              error={wrong.filter}
            />
            <TextField
              name="from"
              label={words.from}
              hint={words.fromHint}
              value={draft.from}
              onChange={(from) => onChange({ from })}
            />
          </>
        )}
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{words.how}</legend>
        <SelectField
          label={words.rings}
          hint={words.ringsHint}
          value={own ? 'own' : draft.rings}
          options={words.ringChoices}
          onChange={(choice) => {
            setOwn(choice === 'own');
            if (choice !== 'own') onChange({ rings: choice });
          }}
        />
        {own && (
          <TextField
            name="rings"
            label={words.ownRings}
            hint={words.ownRingsHint}
            value={draft.rings}
            onChange={(rings) => onChange({ rings })}
            error={wrong.rings}
          />
        )}
        <TextField
          name="failures"
          label={words.failures}
          hint={words.failuresHint}
          value={draft.failures}
          onChange={(failures) => onChange({ failures })}
          error={wrong.failures}
        />
        <SelectField
          label={words.pause}
          hint={words.pauseHint}
          value={draft.pause}
          options={{ [draft.pause]: duration(Number(draft.pause)), ...words.pauses }}
          onChange={(pause) => onChange({ pause })}
        />
        <CheckField
          label={words.backup}
          hint={words.backupHint}
          checked={draft.backup}
          onChange={(backup) => onChange({ backup })}
        />
        <CheckField
          label={words.migrations}
          checked={draft.migrations}
          onChange={(migrations) => onChange({ migrations })}
        />
        <CheckField label={words.retry} checked={draft.retry} onChange={(retry) => onChange({ retry })} />
      </fieldset>
      <div className={parts.formEnd}>
        <Button variant={draft.shown ? 'plain' : 'primary'} type="submit">
          {words.preview}
        </Button>
      </div>
    </form>
  );
}
