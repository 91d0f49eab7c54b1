import { useState } from 'react';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { listsText } from '../messages.ts';
import type { Correction } from '../queries.ts';

interface ReplaceFormProps {
  columns: readonly string[];
  correct(corrections: Correction[]): Promise<unknown>;
  onClose(): void;
}

/** Finds and replaces a text in a column. */
export function ReplaceForm({ columns, correct, onClose }: ReplaceFormProps) {
  const [column, setColumn] = useState(columns[0] ?? '');
  const [find, setFind] = useState('');
  const [replace, setReplace] = useState('');
  const [whole, setWhole] = useState(false);
  const words = listsText.check.replacing;
  return (
    <Confirm
      title={words.title}
      hint={words.hint}
      submit={words.submit}
      ready={column !== '' && (whole || find !== '')}
      act={() => correct([{ column, find, replace, match: whole ? 'cell' : 'text' }])}
      onDone={() => undefined}
      onClose={onClose}
    >
      <SelectField
        label={words.column}
        value={column}
        options={Object.fromEntries(columns.map((name) => [name, plainText(name)]))}
        onChange={setColumn}
      />
      <TextField name="find" label={words.find} value={find} onChange={setFind} />
      <TextField name="replace" label={words.replace} value={replace} onChange={setReplace} />
      <CheckField label={words.whole} checked={whole} onChange={setWhole} />
    </Confirm>
  );
}
