import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useLocation, useSearchParams } from 'react-router';
import { ApiError } from '../../../api/api-error.ts';
import { tenantsQuery, versionQuery } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { Empty } from '../../../components/feedback/empty.tsx';
import { BackLink, PageHead } from '../../../components/layout/page.tsx';
import { text } from '../../../lib/messages.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { bodyOf, type Draft, draftOf, queryOf } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import { haltedVersions } from './halted-versions.ts';
import { upgradesText } from './messages.ts';
import { PlanCard } from './plan-card.tsx';
import { fleetsQuery, planQuery } from './queries.ts';
import styles from './upgrades.module.css';

/** Navigation state: tenants selected on the previous page. */
interface Handed {
  tenants?: readonly { id: string; name: string }[];
}

/** Composes a fleet upgrade, shows its rings and starts it. */
export function NewUpgradePage() {
  const location = useLocation();
  const [query, setQuery] = useSearchParams();
  const [selected, setSelected] = useState((location.state as Handed | null)?.tenants);
  const form = useForm<Draft>({ defaultValues: draftOf(query) });
  const draft = form.watch();
  const address = String(queryOf(draft));
  // A preview is out of date once the draft has changed.
  const [previewed, setPreviewed] = useState(query.get('rings_shown') === 'yes' ? address : undefined);
  const shown = previewed === address;
  const { data: all } = useQuery(tenantsQuery);
  const example = selected?.[0] ?? all?.find(({ deployed_at }) => deployed_at !== null);
  const { data: offered } = useQuery({ ...versionQuery(example?.id ?? ''), enabled: example !== undefined });
  const { data: fleets } = useQuery(fleetsQuery(1));
  const halted = haltedVersions(fleets?.upgrades ?? []);
  const newest = offered?.latest_version ?? '';
  // Not the version that was just halted: it must be chosen explicitly.
  const version = draft.version ?? (fleets && !halted.has(newest) ? newest : '');
  const body = bodyOf(
    draft,
    version.trim(),
    selected?.map(({ id }) => id),
  );
  const plan = useQuery({ ...planQuery(body), enabled: shown });
  // Opened by the user just now: the result gets the focus.
  const asked = useRef(false);
  // The input is shown at once; the URL follows.
  const keep = useEffectEvent((next: string, tenants: Handed['tenants']) =>
    setQuery(next, { replace: true, state: tenants ? { tenants } : {} }),
  );
  useEffect(() => {
    keep(shown ? `${address}&rings_shown=yes` : address, selected);
  }, [address, shown, selected]);
  if (!useHasRole('operator'))
    return <Empty title={upgradesText.form.title} hint={text.errors.whatToDo.forbidden ?? ''} />;
  return (
    <>
      <BackLink to="/upgrades">{upgradesText.one.back}</BackLink>
      <PageHead title={upgradesText.form.title} hint={upgradesText.form.hint} />
      <div className={styles.editorColumns}>
        <DraftForm
          form={form}
          version={version}
          newest={
            offered?.latest_version && example ? { version: offered.latest_version, tenant: example.name } : undefined
          }
          halted={
            halted.has(version.trim()) ? version.trim() : halted.has(newest) && version === '' ? newest : undefined
          }
          selected={selected}
          wrong={wrongFields(shown ? plan.error : null)}
          shown={shown}
          onDeselect={() => {
            setPreviewed(undefined);
            setSelected(undefined);
          }}
          onSubmit={() => {
            asked.current = true;
            // Submits the version that was shown.
            if (shown) return void plan.refetch();
            form.setValue('version', version.trim());
            setPreviewed(String(queryOf(form.getValues())));
          }}
        />
        {shown ? (
          <PlanCard plan={plan.data} error={plan.error} fetching={plan.isFetching} body={body} asked={asked} />
        ) : (
          <section className={parts.card}>
            <h2>{upgradesText.rings.title}</h2>
            <ol className={styles.lesson}>
              {upgradesText.rings.lesson.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </>
  );
}

/** The manager's field errors, by the form's fields. */
function wrongFields(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  if (error.code === 'not_found') return { version: error.message };
  const fieldOf: Record<string, string> = {
    target_version: 'version',
    rings: 'rings',
    max_failures: 'failures',
    filter: 'filter',
    tenant_ids: 'selected',
  };
  return Object.fromEntries(
    Object.entries(error.fields).map(([path, message]) => [fieldOf[path.split('.')[0] ?? ''] ?? 'other', message]),
  );
}
