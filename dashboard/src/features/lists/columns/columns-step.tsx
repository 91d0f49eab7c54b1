import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import parts from '../../../components/components.module.css';
import { Progress } from '../../../components/data/progress.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { analyze, type Mapping, mappingsQuery, previewQuery, refreshLists } from '../queries.ts';
import type { StepProps } from '../steps/state.ts';
import { ColumnsForm } from './columns-form.tsx';

/** The mapping of a list's columns: suggested by the manager, decided by the user. */
export function ColumnsStep({ job, listKey }: StepProps) {
  const operator = useHasRole('operator');
  const { data: preview, error: previewError } = useQuery(previewQuery(listKey));
  const { data: served, error } = useQuery(mappingsQuery(listKey));
  const suggest = useMutation({
    mutationFn: () => analyze(listKey),
    onSettled: () => refreshLists(listKey.tenantId),
  });
  // An analysis that failed leaves a warning; it is not restarted automatically.
  const untouched =
    job.status === 'pending' && served !== undefined && served.mappings.length === 0 && served.warnings.length === 0;
  const started = useRef(false);
  useEffect(() => {
    if (!untouched || !operator || started.current) return;
    started.current = true;
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
  // Without suggestions the user can still map each column.
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
