import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ExactTime } from '../../components/data/time.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Button } from '../../components/form/button.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import { causeText } from '../tenant/diagnosis/messages.ts';
import styles from './incidents.module.css';
import { incidentsText } from './messages.ts';
import { addNote, type Incident, type IncidentEntry } from './queries.ts';

/** What happened, oldest first, and a field for notes. */
export function Timeline({ incident: { id, timeline } }: { incident: Incident }) {
  const operator = useHasRole('operator');
  return (
    <>
      <ol className={styles.timeline}>
        {timeline.map((entry) => (
          <li key={`${entry.at} ${entry.kind} ${entry.tenant_id} ${entry.text}`} data-kind={entry.kind}>
            <ExactTime at={entry.at} />
            <div>
              <strong>{incidentsText.entries[entry.kind]}</strong> {entry.username && incidentsText.by(entry.username)}
              <EntryText entry={entry} />
            </div>
          </li>
        ))}
      </ol>
      {operator && <NoteField id={id} />}
    </>
  );
}

function EntryText({ entry: { kind, text } }: { entry: IncidentEntry }) {
  if (text === null || kind === 'resolved') return null;
  if (kind === 'log') return <pre className={styles.log}>{plainText(text)}</pre>;
  if (kind === 'notified') return <p>{incidentsText.notified[text] ?? text}</p>;
  return <p>{kind === 'note' ? plainText(text) : causeText(text, incidentsText.api)}</p>;
}

function NoteField({ id }: { id: string }) {
  const [note, setNote] = useState('');
  const adding = useMutation({ mutationFn: () => addNote(id, note), onSuccess: () => setNote('') });
  return (
    <form
      className={styles.note}
      onSubmit={(event) => {
        event.preventDefault();
        if (note.trim() !== '' && !adding.isPending) adding.mutate();
      }}
    >
      <TextField name="note" label={incidentsText.note} type="textarea" value={note} onChange={setNote} />
      <ErrorNote error={adding.error} />
      <div>
        <Button type="submit" disabled={note.trim() === '' || adding.isPending}>
          {incidentsText.addNote}
        </Button>
      </div>
    </form>
  );
}
