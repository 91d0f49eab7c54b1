import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { PagePart } from '../parts/page.tsx';
import parts from '../parts/parts.module.css';
import { Progress } from '../parts/progress.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useMay } from '../session/session.tsx';
import { listsText } from '../text/lists.ts';
import { ColumnsForm } from './columns-form.tsx';
import { analyze, type Mapping, mappingsQuery, previewQuery, refreshLists } from './list-queries.ts';
import styles from './lists.module.css';
import type { StepProps } from './state.ts';

/** What becomes of a list's columns: suggested by the manager, decided here. */
export function ColumnsStep({ job, listKey }: StepProps) {
  const operator = useMay('operator');
  const { data: preview, error: previewError } = useQuery(previewQuery(listKey));
  const { data: served, error } = useQuery(mappingsQuery(listKey));
  const suggest = useMutation({
    mutationFn: () => analyze(listKey),
    onSettled: () => refreshLists(listKey.tenantId),
  });
  // An analysis that failed leaves a warning; it is not begun again by itself.
  const untouched =
    job.status === 'pending' && served !== undefined && served.mappings.length === 0 && served.warnings.length === 0;
  const begun = useRef(false);
  useEffect(() => {
    if (!untouched || !operator || begun.current) return;
    begun.current = true;
    suggest.mutate();
  }, [untouched, operator, suggest.mutate]);
  if (!preview || !served) return <Waiting error={previewError ?? error} />;
  const { title, hint, looking, lookingHint, notYet, suggest: again } = listsText.columns;
  if (job.status === 'analyzing' || suggest.isPending)
    return (
      <div className={`${parts.card} ${styles.card}`} role="status">
        <h2>{looking}</h2>
        <Progress label={looking} />
        <p className={styles.fine}>{lookingHint}</p>
      </div>
    );
  if (untouched && !operator) return <p className={styles.notice}>{notYet}</p>;
  // Without suggestions each column can still be given its place by hand.
  const mappings: Mapping[] =
    served.mappings.length > 0
      ? served.mappings
      : preview.headers.map((source) => ({ source, target: 'skip', confidence: 0 }));
  const canSuggest = operator && (job.status === 'pending' || job.status === 'ready' || job.status === 'failed');
  return (
    <div className={styles.page}>
      <div>
        <PagePart title={title} hint={hint}>
          {canSuggest && <Button onClick={() => suggest.mutate()}>{again}</Button>}
        </PagePart>
        <ErrorNote error={suggest.error} />
        <ColumnsForm
          key={preview.headers.join('\n')}
          job={job}
          listKey={listKey}
          preview={preview}
          served={{ ...served, mappings }}
        />
      </div>
    </div>
  );
}
