import { useMutation, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Facts } from '../../../components/data/facts.tsx';
import { Progress } from '../../../components/data/progress.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../../components/form/button.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { apiText } from '../../../lib/api-text.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { analyze, type Preview, pathOf, previewQuery, refreshLists } from '../queries.ts';
import { forgetDraft } from '../steps/draft.ts';
import type { StepProps } from '../steps/state.ts';
import { StepEnd } from '../steps/step-end.tsx';
import { ReadingFields } from './reading-fields.tsx';

const rowsShown = 10;
const columnsShown = 60;

/** Shows how a list was read, and lets the user correct it. */
export function PreviewStep({ job, listKey }: StepProps) {
  const { data: preview, error } = useQuery(previewQuery(listKey));
  const operator = useHasRole('operator');
  const readAgain = useMutation({
    mutationFn: (body: { sheet?: string; header_row?: number | null }) =>
      dataOf(api.PUT('/api/tenants/{id}/list-loader/{job_id}/layout', { params: pathOf(listKey), body })),
    async onSuccess(read) {
      forgetDraft(listKey.jobId);
      queryClient.setQueryData(previewQuery(listKey).queryKey, read);
      await analyze(listKey).catch(() => undefined);
      await refreshLists(listKey.tenantId);
    },
  });
  if (!preview) return <Waiting error={error} />;
  const { title, hint, recognised, noticed, next, noRows, readingAgain } = listsText.preview;
  const mayChange = operator && job.status !== 'analyzing';
  return (
    <div className={styles.page}>
      <div>
        <PagePart title={title} hint={hint} />
        <div className={styles.side}>
          <FirstRows preview={preview} />
          <section className={parts.card}>
            <h2>{recognised}</h2>
            <ReadAs preview={preview} />
            {mayChange && (
              <ReadingFields preview={preview} disabled={readAgain.isPending} onChange={readAgain.mutate} />
            )}
            {readAgain.isPending && (
              <div role="status">
                <Progress label={readingAgain} />
                <p className={styles.fine}>{readingAgain}</p>
              </div>
            )}
            <ErrorNote error={readAgain.error} />
            {preview.warnings.length > 0 && (
              <>
                <h3>{noticed}</h3>
                <ul className={styles.points}>
                  {preview.warnings.map((warning) => (
                    <li key={warning}>{plainText(apiText(listsText.notes, warning))}</li>
                  ))}
                </ul>
              </>
            )}
          </section>
        </div>
      </div>
      {preview.total_rows === 0 ? (
        <StepEnd note={noRows} />
      ) : (
        <StepEnd>
          <ButtonLink variant="primary" to={`/tenants/${listKey.tenantId}/lists/${listKey.jobId}/columns`}>
            {next}
          </ButtonLink>
        </StepEnd>
      )}
    </div>
  );
}

function FirstRows({ preview }: { preview: Preview }) {
  const headers = preview.headers.slice(0, columnsShown);
  const columns: Column<Preview['sample_rows'][number]>[] = headers.map((header) => ({
    name: plainText(header),
    cell: (row) => <span className={styles.cell}>{plainText(row[header] ?? '')}</span>,
  }));
  const more = preview.headers.length - headers.length;
  const rows = preview.sample_rows.slice(0, rowsShown);
  return (
    <div className={styles.narrow}>
      <DataTable
        label={listsText.preview.table}
        scrolls
        columns={columns}
        rows={rows}
        keyOf={(row) => String(rows.indexOf(row))}
      />
      {more > 0 && <p className={styles.fine}>{listsText.preview.moreColumns(more)}</p>}
    </div>
  );
}

function ReadAs({ preview }: { preview: Preview }) {
  const { kind, kinds, csv, delimiters, encodings, size, sizes, sheet } = listsText.preview;
  const { format, delimiter, encoding, total_rows, headers } = preview;
  return (
    <Facts
      facts={{
        [kind]:
          format === 'csv' ? csv(delimiters[delimiter ?? ''] ?? '', encodings[encoding ?? ''] ?? '') : kinds[format],
        [size]: sizes(total_rows, headers.length),
        [sheet]: preview.sheet && plainText(preview.sheet),
      }}
    />
  );
}
