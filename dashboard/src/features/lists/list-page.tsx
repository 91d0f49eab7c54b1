import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Navigate, useNavigate, useParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { api, dataOf } from '../../api/client.ts';
import { useStream } from '../../api/live.ts';
import { queryClient } from '../../api/queries.ts';
import { Time } from '../../components/data/time.tsx';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { Menu } from '../../components/layout/menu.tsx';
import { BackLink } from '../../components/layout/page.tsx';
import { plainText } from '../../components/log/plain-text.ts';
import { useHasRole } from '../accounts/session/session.tsx';
import { useTenant } from '../tenant/tenant-page.tsx';
import { CheckStep } from './check/check-step.tsx';
import { CatalogueContext, inOwnLanguage } from './columns/catalogue.ts';
import { ColumnsStep } from './columns/columns-step.tsx';
import { missingFields } from './columns/mapping-rules.ts';
import { ImportStep } from './import/import-step.tsx';
import { ListBadge } from './list-badge.tsx';
import styles from './lists.module.css';
import { listsText } from './messages.ts';
import { type ListJob, type ListKey, listQuery, mappingsQuery, pathOf, refreshLists, statusQuery } from './queries.ts';
import { openSteps, type RowsRead, type Step, type StepProps, stepNow } from './steps/state.ts';
import { StepFrame } from './steps/step-frame.tsx';
import { StepNav } from './steps/step-nav.tsx';
import { PreviewStep } from './upload/preview-step.tsx';

const steps: Record<Step, (props: StepProps) => React.ReactNode> = {
  preview: PreviewStep,
  columns: ColumnsStep,
  check: CheckStep,
  import: ImportStep,
};
const isStep = (name: string | undefined): name is Step => name !== undefined && name in steps;

/** A list. The manager defines its state; the URL defines the step that is shown. */
export function ListPage() {
  const { id: tenantId } = useTenant();
  const { jobId = '', step } = useParams();
  const listKey = { tenantId, jobId };
  const operator = useHasRole('operator');
  const { data: job, error } = useQuery(listQuery(listKey));
  const { data: served, error: mappingsError } = useQuery(mappingsQuery(listKey));
  const catalogue = useMemo(() => served && inOwnLanguage(served.catalogue), [served]);
  const check = useListUpdates(listKey, job?.status);
  const { gone, goneHint, back } = listsText.list;
  if (error instanceof ApiError && error.status === 404)
    return (
      <Empty title={gone} hint={goneHint}>
        <ButtonLink to={`/tenants/${tenantId}/lists`}>{back}</ButtonLink>
      </Empty>
    );
  if (!job) return <Waiting error={error} />;
  if (!operator)
    return (
      <>
        <ListHead job={job} tenantId={tenantId} />
        <p className={styles.notice}>{listsText.list.contents}</p>
        {openSteps(job, false).has('import') && <ImportStep job={job} listKey={listKey} check={check} />}
      </>
    );
  if (!catalogue) return <Waiting error={mappingsError} />;
  const open = openSteps(job, missingFields(catalogue, job.mappings).length === 0);
  // No step in the URL, or an unreachable one: the list's current step.
  if (!isStep(step) || !open.has(step)) {
    const now = stepNow(job);
    if (step !== now) return <Navigate replace to={`/tenants/${tenantId}/lists/${jobId}/${now}`} />;
  }
  const Shown = steps[isStep(step) ? step : stepNow(job)];
  return (
    <CatalogueContext value={catalogue}>
      <ListHead job={job} tenantId={tenantId} />
      <StepNav job={job} tenantId={tenantId} open={open} />
      {job.file_removed_at && <p className={styles.notice}>{listsText.list.fileGone}</p>}
      <StepFrame key={jobId} step={step}>
        <Shown key={`${jobId} ${step}`} job={job} listKey={listKey} check={check} />
      </StepFrame>
    </CatalogueContext>
  );
}

/** Keeps a list up to date with its stream. @returns the progress of a running check */
function useListUpdates(key: ListKey, status: ListJob['status'] | undefined): RowsRead | undefined {
  const [check, setCheck] = useState<RowsRead>();
  // The stream of an ended list is closed; a resumed one has a new stream.
  const followed = status !== undefined && status !== 'completed' && status !== 'failed';
  useStream(followed ? { stream: 'import', id: key.jobId } : undefined, (message) => {
    setCheck(message.check);
    const ended = message.type === 'complete';
    queryClient.setQueryData(statusQuery(key).queryKey, (known) =>
      known ? { ...known, status: message.status, progress: message.progress } : known,
    );
    if (ended || message.status !== queryClient.getQueryData(listQuery(key).queryKey)?.status)
      void refreshLists(key.tenantId);
  });
  return check;
}

function ListHead({ job, tenantId }: { job: ListJob; tenantId: string }) {
  const [deleting, setDeleting] = useState(false);
  const operator = useHasRole('operator');
  const navigate = useNavigate();
  const settled = job.status !== 'importing' && job.status !== 'analyzing';
  const { back, actions, delete: remove, meta } = listsText.list;
  return (
    <>
      <BackLink to={`/tenants/${tenantId}/lists`}>{back}</BackLink>
      <div className={styles.head}>
        <div>
          <h2>{plainText(job.filename)}</h2>
          <div className={styles.meta}>
            <span role="status">
              <ListBadge job={job} />
            </span>
            <span>{meta(job.row_count, job.created_by)}</span>
            <Time at={job.created_at} />
          </div>
        </div>
        {operator && settled && (
          <Menu
            label={actions}
            trigger={<Icon name="more" />}
            bordered
            entries={[{ label: remove, act: () => setDeleting(true), bad: true }]}
          />
        )}
      </div>
      {deleting && (
        <DeleteList
          job={job}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate(`/tenants/${tenantId}/lists`)}
        />
      )}
    </>
  );
}

interface DeleteListProps {
  job: ListJob;
  onClose(): void;
  onDeleted(): void;
}

function DeleteList({ job, onClose, onDeleted }: DeleteListProps) {
  const { deleteTitle, deleteHint, deleteSubmit, deleted } = listsText.list;
  const name = plainText(job.filename);
  const key = { tenantId: job.tenant_id, jobId: job.id };
  return (
    <Confirm
      bad
      title={deleteTitle(name)}
      hint={deleteHint}
      submit={deleteSubmit}
      act={() => dataOf(api.DELETE('/api/tenants/{id}/list-loader/{job_id}', { params: pathOf(key) }))}
      onDone={() => {
        notify(deleted(name));
        onDeleted();
        void queryClient.invalidateQueries({ queryKey: ['lists', job.tenant_id, 'history'] });
      }}
      onClose={onClose}
    />
  );
}
