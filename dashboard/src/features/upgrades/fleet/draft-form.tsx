import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import parts from '../../../components/components.module.css';
import { duration } from '../../../components/data/time.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormCheck, FormSelect, FormText } from '../../../components/form/form-fields.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { text } from '../../../lib/messages.ts';
import type { Draft } from './draft.ts';
import { upgradesText } from './messages.ts';
import styles from './upgrades.module.css';

interface DraftFormProps {
  form: UseFormReturn<Draft>;
  /** As typed or suggested. */
  version: string;
  newest: { version: string; tenant: string } | undefined;
  /** The chosen version, or else the newest, if its last upgrade was halted. */
  halted: string | undefined;
  /** Tenants selected in the list; without them, the filter applies. */
  selected: readonly { id: string; name: string }[] | undefined;
  wrong: Record<string, string>;
  /** Whether the rings are shown. */
  shown: boolean;
  onDeselect(): void;
  onSubmit(): void;
}

const words = upgradesText.form;
/** Names of selected tenants that are shown. */
const maxNamed = 12;

export function DraftForm(props: DraftFormProps) {
  const { form, version, newest, halted, selected, wrong, shown, onDeselect, onSubmit } = props;
  const { control } = form;
  const [rings, pause] = form.watch(['rings', 'pause']);
  const [own, setOwn] = useState(words.ringChoices[rings] === undefined);
  return (
    <form
      className={`${parts.card} ${styles.form}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <FormText
        control={control}
        name="version"
        label={words.version}
        hint={newest ? words.newest(newest.version, newest.tenant) : words.versionHint}
        proposed={version}
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
            <FormSelect
              control={control}
              name="status"
              label={words.status}
              options={{ '': words.anyStatus, ...text.status }}
            />
            <FormText
              control={control}
              name="search"
              label={words.search}
              hint={words.searchHint}
              error={wrong.filter}
            />
            <FormText control={control} name="from" label={words.from} hint={words.fromHint} />
          </>
        )}
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{words.how}</legend>
        <SelectField
          label={words.rings}
          hint={words.ringsHint}
          value={own ? 'own' : rings}
          options={words.ringChoices}
          onChange={(choice) => {
            setOwn(choice === 'own');
            if (choice !== 'own') form.setValue('rings', choice);
          }}
        />
        {own && (
          <FormText
            control={control}
            name="rings"
            label={words.ownRings}
            hint={words.ownRingsHint}
            error={wrong.rings}
          />
        )}
        <FormText
          control={control}
          name="failures"
          label={words.failures}
          hint={words.failuresHint}
          error={wrong.failures}
        />
        <FormSelect
          control={control}
          name="pause"
          label={words.pause}
          hint={words.pauseHint}
          options={{ [pause]: duration(Number(pause)), ...words.pauses }}
        />
        <FormCheck control={control} name="backup" label={words.backup} hint={words.backupHint} />
        <FormCheck control={control} name="migrations" label={words.migrations} />
        <FormCheck control={control} name="retry" label={words.retry} />
      </fieldset>
      <div className={parts.formEnd}>
        <Button variant={shown ? 'plain' : 'primary'} type="submit">
          {words.preview}
        </Button>
      </div>
    </form>
  );
}
