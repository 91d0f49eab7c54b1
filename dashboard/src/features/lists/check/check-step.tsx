import { useIsMutating, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { LeaveGuard } from '../../../components/feedback/leave-guard.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button, ButtonLink } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { type Correction, correctionsQuery, type Findings, findingsQuery, listQuery, pathOf } from '../queries.ts';
import { Figures } from '../steps/figures.tsx';
import type { StepProps } from '../steps/state.ts';
import { StepEnd } from '../steps/step-end.tsx';
import { correctionsOf, useCellDrafts } from './cell-drafts.ts';
import { FindingsPart, otherWarnings } from './findings-part.tsx';
import { RejectedRows } from './rejected-rows.tsx';
import { ReplaceForm } from './replace-form.tsx';
import { RowsProgress } from './rows-progress.tsx';
import { SavedCorrections } from './saved-corrections.tsx';

/** The check of a list's rows: runs when the user first opens the step. */
export function CheckStep({ job, listKey, check }: StepProps) {
  const operator = useHasRole('operator');
  const validated = job.validation_result !== null;
  const { data: findings, error } = useQuery({ ...findingsQuery(listKey), enabled: validated });
  const mutationKey = ['check', listKey.jobId];
  const validate = useMutation({
    mutationKey,
    mutationFn: () => dataOf(api.POST('/api/tenants/{id}/list-loader/{job_id}/validate', { params: pathOf(listKey) })),
    async onSuccess() {
      queryClient.removeQueries({ queryKey: findingsQuery(listKey).queryKey });
      await queryClient.invalidateQueries({ queryKey: listQuery(listKey).queryKey });
    },
  });
  // Counts without findings come from an earlier version.
  const lost = error instanceof ApiError && error.code === 'job_not_ready';
  const drafts = useCellDrafts();
  const [replacing, setReplacing] = useState(false);
  const checkAgain = async (): Promise<void> => {
    queryClient.removeQueries({ queryKey: findingsQuery(listKey).queryKey });
    await queryClient.invalidateQueries({ queryKey: correctionsQuery(listKey).queryKey });
    validate.mutate();
  };
  const correct = useMutation({
    mutationFn: (corrections: Correction[]) =>
      dataOf(
        api.POST('/api/tenants/{id}/list-loader/{job_id}/corrections', {
          params: pathOf(listKey),
          body: { corrections },
        }),
      ),
    onSuccess() {
      drafts.discard();
      return checkAgain();
    },
  });
  // Also a check that was started before the user visited another page.
  const goesOn = useIsMutating({ mutationKey }) > 0;
  const needed = operator && !goesOn && (!validated || lost);
  const started = useRef(false);
  useEffect(() => {
    if (!needed || started.current) return;
    started.current = true;
    validate.mutate();
  }, [needed, validate.mutate]);

  const { title, hint, checking, checkingHint, notYet, start, next, back } = listsText.check;
  const lists = `/tenants/${listKey.tenantId}/lists/${listKey.jobId}`;
  const toColumns = { to: `${lists}/columns`, name: back };
  if (goesOn)
    return (
      <section className={`${parts.card} ${styles.card}`}>
        <h2 role="status">{checking(job.row_count)}</h2>
        <RowsProgress label={checking(job.row_count)} check={check} />
        <p className={`${styles.fine} ${styles.later}`}>{checkingHint}</p>
      </section>
    );
  if (!validated || (lost && !findings))
    return (
      <div className={styles.page}>
        {validate.error ? <ErrorNote error={validate.error} /> : <p className={styles.notice}>{notYet}</p>}
        <StepEnd back={toColumns}>
          {operator && (
            <Button variant="primary" onClick={() => validate.mutate()}>
              {start}
            </Button>
          )}
        </StepEnd>
      </div>
    );
  if (!findings) return <Waiting error={error} />;
  const unsaved = drafts.all.length;
  const { replace, unsaved: unsavedNote, discard, save } = listsText.check;
  return (
    <div className={styles.page}>
      <div>
        <PagePart title={title} hint={hint}>
          <Button onClick={() => setReplacing(true)}>
            <Icon name="edit" />
            {replace}
          </Button>
          {findings.error_count > 0 && <RejectedRows listKey={listKey} />}
        </PagePart>
        <div className={styles.stack}>
          <CheckFigures findings={findings} />
          <SavedCorrections listKey={listKey} onUndone={() => void checkAgain()} />
          <FindingsPart findings={findings} mappings={job.mappings} drafts={drafts} />
          <ErrorNote error={correct.error} />
        </div>
      </div>
      {replacing && (
        <ReplaceForm
          columns={findings.cells.columns}
          correct={(corrections) => correct.mutateAsync([...correctionsOf(drafts.all), ...corrections])}
          onClose={() => setReplacing(false)}
        />
      )}
      <LeaveGuard unsaved={unsaved > 0} />
      {unsaved > 0 ? (
        <StepEnd back={toColumns} note={unsavedNote(unsaved)}>
          <Button onClick={drafts.discard}>{discard}</Button>
          <Button
            variant="primary"
            disabled={correct.isPending}
            onClick={() => correct.mutate(correctionsOf(drafts.all))}
          >
            {save}
          </Button>
        </StepEnd>
      ) : (
        <StepEnd back={toColumns}>
          <ButtonLink variant="primary" to={`${lists}/import`}>
            {next}
          </ButtonLink>
        </StepEnd>
      )}
    </div>
  );
}

/** Counts of a check: people to import, duplicate rows, left-out rows, rows with warnings. */
function CheckFigures({ findings }: { findings: Findings }) {
  const { importable, repeated, rejected, remarked, composed, known, unknown } = listsText.check;
  const { total, valid_count, duplicate_count, error_count, tenant_duplicates: asked } = findings;
  return (
    <>
      <Figures
        figures={[
          { name: importable, count: valid_count - duplicate_count, tone: 'good' },
          { name: repeated, count: duplicate_count, tone: 'warn' },
          { name: rejected, count: error_count, tone: 'bad' },
          { name: remarked, count: otherWarnings(findings), tone: 'warn' },
        ]}
      />
      <p className={styles.fine}>{composed(total, valid_count - duplicate_count, duplicate_count, error_count)}</p>
      <p className={styles.fine}>{asked ? known(asked.found, asked.checked) : unknown}</p>
    </>
  );
}
