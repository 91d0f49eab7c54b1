import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { plainText } from '../../../components/log/plain-text.ts';
import { apiText } from '../../../lib/api-text.ts';
import { listed } from '../../../lib/figures.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import styles from '../lists.module.css';
import { listsText } from '../messages.ts';
import { type Mapping, mappingsQuery, type Preview, pathOf, refreshLists } from '../queries.ts';
import { type Draft, useDraft } from '../steps/draft.ts';
import type { StepProps } from '../steps/state.ts';
import { StepEnd } from '../steps/step-end.tsx';
import { Templates } from '../templates/templates.tsx';
import { samplesOf } from '../upload/samples.ts';
import { useCatalogue } from './catalogue.ts';
import { fits, orderedFilters } from './column-filter.ts';
import columns from './columns.module.css';
import { FilterLinks } from './filter-links.tsx';
import { MappingRow } from './mapping-row.tsx';
import { clashesOf, isBadName, missingFields } from './mapping-rules.ts';
import { NeededFields } from './needed-fields.tsx';

interface ColumnsFormProps extends StepProps {
  preview: Preview;
  served: { mappings: Mapping[]; warnings: string[]; template_id: string | null };
}

/** Number of columns rendered at first. */
const drawn = 60;

/** Every column with what becomes of it. */
export function ColumnsForm({ job, listKey, preview, served }: ColumnsFormProps) {
  const operator = useHasRole('operator');
  const navigate = useNavigate();
  const draft = useDraft(listKey.jobId, served.mappings);
  const { mappings, changed } = draft;
  const lists = `/tenants/${listKey.tenantId}/lists/${listKey.jobId}`;
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        api.PUT('/api/tenants/{id}/list-loader/{job_id}/mappings', { params: pathOf(listKey), body: { mappings } }),
      ),
    async onSuccess(saved) {
      queryClient.setQueryData(mappingsQuery(listKey).queryKey, saved);
      await refreshLists(listKey.tenantId);
      draft.reset();
      void navigate(`${lists}/check`);
    },
  });
  const catalogue = useCatalogue();
  const missing = missingFields(catalogue, mappings);
  const clashes = useMemo(() => clashesOf(catalogue, mappings), [catalogue, mappings]);
  const wrong = missing.length > 0 || clashes.size > 0 || mappings.some(({ target }) => isBadName(target));
  // Unchanged mappings need not be sent to the manager again.
  const kept = !changed && job.status !== 'pending';
  const goOn = (): void => (kept ? void navigate(`${lists}/check`) : save.mutate());
  const {
    imported,
    incomplete,
    draft: draftNote,
    next,
    save: saveLabel,
    back,
    reset,
    warnings: toKnow,
  } = listsText.columns;
  const note = missing.length > 0 ? incomplete(listed(missing)) : changed ? draftNote : undefined;
  return (
    <div className={styles.stack}>
      <NeededFields mappings={mappings} />
      {job.status === 'completed' && <p className={styles.notice}>{imported}</p>}
      {served.warnings.length > 0 && (
        <Note tone="plain" title={toKnow}>
          {served.warnings.map((warning) => (
            <p key={warning}>{plainText(apiText(listsText.warnings, warning))}</p>
          ))}
        </Note>
      )}
      <Templates
        listKey={listKey}
        mappings={mappings}
        templateId={served.template_id}
        ready={!wrong}
        onApplied={draft.reset}
      />
      <MappingList
        draft={draft}
        suggested={served.mappings}
        preview={preview}
        clashes={clashes}
        error={save.error}
        editable={operator}
      />
      <ErrorNote error={save.error} />
      <StepEnd back={{ to: `${lists}/preview`, name: back }} note={note}>
        {changed && operator && <Button onClick={draft.reset}>{reset}</Button>}
        {operator && (
          <Button variant="primary" disabled={wrong || save.isPending} onClick={goOn}>
            {kept ? next : saveLabel}
          </Button>
        )}
      </StepEnd>
    </div>
  );
}

interface MappingListProps {
  draft: Draft;
  /** The mappings without the user's unsaved changes. */
  suggested: readonly Mapping[];
  preview: Preview;
  clashes: ReturnType<typeof clashesOf>;
  error: unknown;
  editable: boolean;
}

function MappingList({ draft, suggested, preview, clashes, error, editable }: MappingListProps) {
  const { mappings } = draft;
  const [search] = useSearchParams();
  const filters = orderedFilters(suggested);
  const filter = filters.find((name) => name === search.get('show')) ?? filters[0] ?? 'all';
  const [most, setMost] = useState(drawn);
  const samples = useMemo(() => samplesOf(preview), [preview]);
  const refused = error instanceof ApiError ? error.fields : {};
  const indexed = mappings.map((mapping, index) => ({ mapping, index, before: suggested[index] ?? mapping }));
  // Conflicting columns are never hidden: they block the next step.
  const shown = indexed.filter(({ mapping, before }) => fits(mapping, before, filter) || clashes.has(mapping.source));
  const { show, shows, showing, nothing, more, table, column, target, how, sureness } = listsText.columns;
  const entries = Object.fromEntries(
    filters.map((name) => [
      name,
      showing(shows[name], indexed.filter(({ mapping, before }) => fits(mapping, before, name)).length),
    ]),
  );
  return (
    <section className={styles.stack} aria-label={table}>
      <FilterLinks label={show} name="show" entries={entries} value={filter} />
      {shown.length === 0 && <p className={styles.notice}>{nothing[filter]}</p>}
      {shown.length > 0 && (
        <ol className={columns.mappings}>
          <li className={columns.heads} aria-hidden="true">
            {[column, target, how, sureness].map((head) => (
              <span key={head}>{head}</span>
            ))}
          </li>
          {shown.slice(0, most).map(({ mapping, index }) => (
            <MappingRow
              key={mapping.source}
              mapping={mapping}
              samples={samples.get(mapping.source) ?? []}
              clash={clashes.get(mapping.source)}
              refused={
                refused[`mappings.${index}.target`] ??
                refused[`mappings.${index}.transform`] ??
                refused[`mappings.${index}.source`]
              }
              shared={mappings.some(({ source, target }) => source !== mapping.source && target === mapping.target)}
              editable={editable}
              onChange={(to) => draft.change(mapping.source, to)}
              onJoin={() =>
                draft.join(mappings.filter(({ target }) => target === mapping.target).map(({ source }) => source))
              }
            />
          ))}
        </ol>
      )}
      {shown.length > most && (
        <Button onClick={() => setMost(most + drawn)}>{more(Math.min(drawn, shown.length - most))}</Button>
      )}
    </section>
  );
}
