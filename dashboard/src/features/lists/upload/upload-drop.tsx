import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import parts from '../../../components/components.module.css';
import { Progress } from '../../../components/data/progress.tsx';
import { sizeText } from '../../../components/data/size.ts';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FileDrop } from '../../../components/form/file-drop.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { analyze, refreshLists } from '../queries.ts';
import { uploadList } from './upload.ts';

const accept = {
  'text/csv': ['.csv'],
  'text/tab-separated-values': ['.tsv'],
  'text/plain': ['.txt'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['.xlsx'],
  'application/vnd.ms-excel': ['.xls'],
  'application/vnd.oasis.opendocument.spreadsheet': ['.ods'],
};

interface Sending {
  name: string;
  sent: number;
  all: number;
  stop: AbortController;
}

/** Uploads a list with its progress, then opens its preview. */
export function UploadDrop({ tenantId, children }: { tenantId: string; children?: ReactNode }) {
  const [sending, setSending] = useState<Sending>();
  const [error, setError] = useState<unknown>();
  const navigate = useNavigate();
  const underWay = useRef<AbortController>(undefined);
  const busy = sending !== undefined;
  useEffect(() => () => underWay.current?.abort(), []);
  useEffect(() => {
    if (!busy) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [busy]);

  const send = async (file: File): Promise<void> => {
    const stop = new AbortController();
    underWay.current = stop;
    setError(undefined);
    setSending({ name: plainText(file.name), sent: 0, all: file.size, stop });
    const onSent = (sent: number, all: number): void => setSending((now) => now && { ...now, sent, all });
    try {
      const jobId = await uploadList(tenantId, file, { onSent, signal: stop.signal });
      // If it can't start now, the columns step starts it.
      await analyze({ tenantId, jobId }).catch(() => undefined);
      void refreshLists(tenantId);
      void navigate(`/tenants/${tenantId}/lists/${jobId}/preview`);
    } catch (failure) {
      setSending(undefined);
      if (!stop.signal.aborted) setError(failure);
    }
  };

  if (sending) return <OnTheWay {...sending} />;
  return (
    <div className={styles.stack}>
      <ErrorNote error={error} whatToDo={listsText.drop.whatToDo} />
      <FileDrop
        label={listsText.drop.label}
        hint={listsText.drop.hint}
        accept={accept}
        onFile={(file) => void send(file)}
      >
        {children}
      </FileDrop>
    </div>
  );
}

function OnTheWay({ name, sent, all, stop }: Sending) {
  const there = all > 0 && sent >= all;
  const { sending, reading, readingHint, sent: sentOf, cancel } = listsText.drop;
  return (
    <section className={`${parts.card} ${styles.card}`} aria-label={sending(name)}>
      <div className={styles.cardHead}>
        <h2>{sending(name)}</h2>
        <Button onClick={() => stop.abort()}>{cancel}</Button>
      </div>
      <Progress label={sending(name)} {...(there || all === 0 ? {} : { percent: (100 * sent) / all })} />
      <p className={styles.fine} role="status">
        {there ? `${reading} ${readingHint}` : sentOf(sizeText(sent), sizeText(all))}
      </p>
    </section>
  );
}
