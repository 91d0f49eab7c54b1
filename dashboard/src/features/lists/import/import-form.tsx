import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Empty } from '../../../components/feedback/empty.tsx';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button, ButtonLink } from '../../../components/form/button.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { useTenant } from '../../tenant/tenant-page.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { type ListJob, pathOf, refreshLists } from '../queries.ts';
import type { StepProps } from '../steps/state.ts';
import { StepEnd } from '../steps/step-end.tsx';

/** How people who are already in the tenant are handled. */
const ways = {
  skip: { skip_duplicates: true, update_existing: false },
  update: { skip_duplicates: true, update_existing: true },
  add: { skip_duplicates: false, update_existing: false },
};
type Way = keyof typeof ways;
/** `all`: the tenant gets every row. */
type Repeated = 'first' | 'last' | 'merge' | 'all';

const wayOf = (before: ListJob['import_options']): Way => {
  if (before?.update_existing) return 'update';
  return before && !before.skip_duplicates ? 'add' : 'skip';
};

const longestName = 200;
const tagsOf = (words: string): string[] => [
  ...new Set(
    words
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

/** Number of people that the import will add or update, by the same rule as its check. */
function peopleAdded(check: ListJob['validation_result'], way: Way, repeated: Repeated): number | undefined {
  if (!check) return undefined;
  if (way === 'add' && repeated === 'all') return check.valid_count;
  const different = check.valid_count - check.duplicate_count;
  if (way === 'add') return different;
  const { checked, found } = check.tenant_duplicates ?? { checked: 0, found: 0 };
  // Of long lists only the first people were checked.
  return way === 'skip' && checked >= different ? different - found : different;
}

/** Options of the import, and the button that starts it. */
export function ImportForm({ job, listKey, again }: StepProps & { again: boolean }) {
  const tenant = useTenant();
  const operator = useHasRole('operator');
  // Defaults to the options of the earlier import.
  const before = job.import_options;
  const [name, setName] = useState(() => before?.list_name ?? nameOf(job).slice(0, longestName));
  const [tags, setTags] = useState(() => before?.tags.join(', ') ?? '');
  const [way, setWay] = useState<Way>(() => wayOf(before));
  // Another choice than before would be another batch.
  const [repeated, setRepeated] = useState<Repeated>(() => (before ? (before.duplicates_in_file ?? 'all') : 'first'));
  const duplicates = job.validation_result?.duplicate_count ?? 0;
  const begin = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/tenants/{id}/list-loader/{job_id}/execute', {
          params: pathOf(listKey),
          body: {
            ...ways[way],
            ...(duplicates === 0 || repeated === 'all' ? {} : { duplicates_in_file: repeated }),
            tags: tagsOf(tags),
            ...(name.trim() ? { list_name: name.trim() } : {}),
          },
        }),
      ),
    onSuccess: () => refreshLists(listKey.tenantId),
  });
  const words = listsText.run;
  const base = `/tenants/${listKey.tenantId}`;
  const back = { to: `${base}/lists/${listKey.jobId}/check`, name: words.back };
  if (!operator) return <p className={styles.notice}>{words.viewer}</p>;
  if (!tenant.deployed_at)
    return (
      <Empty title={words.notDeployed} hint={words.notDeployedHint}>
        <ButtonLink variant="primary" to={base}>
          {words.toOverview}
        </ButtonLink>
      </Empty>
    );
  const valid = job.validation_result?.valid_count;
  const added = peopleAdded(job.validation_result, way, repeated);
  const wrong = begin.error instanceof ApiError ? begin.error.fields : {};
  const wrongTag = Object.entries(wrong).find(([path]) => path.startsWith('tags'))?.[1];
  return (
    <form
      className={styles.page}
      onSubmit={(event) => {
        event.preventDefault();
        if (!begin.isPending) begin.mutate();
      }}
    >
      <div>
        <PagePart title={again ? words.again : words.title} hint={words.hint(tenant.name)} />
        <div className={styles.stack}>
          <div className={`${parts.card} ${styles.form}`}>
            <TextField
              name="list_name"
              label={words.listName}
              hint={words.listNameHint}
              value={name}
              onChange={setName}
              error={wrong.list_name}
            />
            <TextField
              name="tags"
              label={words.tags}
              hint={words.tagsHint}
              value={tags}
              onChange={setTags}
              error={wrongTag}
            />
            <SelectField<Way>
              label={words.known}
              hint={words.knownHint}
              value={way}
              options={words.knowns}
              onChange={setWay}
            />
            {duplicates > 0 && (
              <SelectField<Repeated>
                label={words.repeated(duplicates)}
                hint={words.repeatedHint}
                value={repeated}
                options={words.repeats(way === 'add')}
                onChange={setRepeated}
              />
            )}
          </div>
          {!wrong.list_name && !wrongTag && <ErrorNote error={begin.error} />}
        </div>
      </div>
      <StepEnd back={back} note={valid === 0 ? words.noneValid : added === 0 ? words.noneNew : undefined}>
        <Button variant="primary" type="submit" disabled={begin.isPending || valid === 0}>
          {again ? words.again : words.submit(added || undefined)}
        </Button>
      </StepEnd>
    </form>
  );
}

/** A list's name: its file's, without the ending. */
const nameOf = ({ filename }: Pick<ListJob, 'filename'>): string => plainText(filename).replace(/\.\w{1,5}$/, '');
