import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, dataOf, type FullTenant } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import parts from '../../../components/components.module.css';
import { Facts } from '../../../components/data/facts.tsx';
import { sizeText } from '../../../components/data/size.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { systemQuery } from '../../system/queries.ts';
import { refreshTenant } from '../../tenants/tenant-actions.ts';
import { useRunningWork } from '../deployments/running-work.tsx';
import { overviewText, moveText as words } from './messages.ts';
import styles from './overview.module.css';
import { movePlanQuery, planIn, servicesQuery } from './queries.ts';

const { runtime: nameOf } = overviewText;
const path = (id: string) => ({ params: { path: { id } } });

/** For administrators: moves a tenant that is still on the old runtime; afterwards, removes what it left there. */
export function MoveCard({ tenant }: { tenant: FullTenant }) {
  const { id, name, deployed_at } = tenant;
  const enabled = useHasRole('admin') && deployed_at !== null;
  const { data: system } = useQuery({ ...systemQuery, enabled });
  const origin = enabled ? system?.runtime.move_from : undefined;
  const { data } = useQuery({ ...servicesQuery(id), enabled: Boolean(origin) });
  const work = useRunningWork(id);
  const [asking, setAsking] = useState(false);
  const isThere = data?.services.backend.commit === null && data.services.frontend.commit === null;
  const asksPlan = Boolean(origin && data) && !isThere && !work;
  const plan = planIn(useQuery({ ...movePlanQuery(id), enabled: asksPlan }).data);
  if (!origin || !system || !data || work) return null;
  const [from, to] = [nameOf(origin), nameOf(system.runtime.kind)];
  if (!isThere && !plan?.at_origin) return null;
  const close = (): void => setAsking(false);
  return (
    <section className={parts.card}>
      <h2>{isThere ? words.title(from) : words.movedTitle(from)}</h2>
      <p className={styles.fine}>{isThere ? words.hint(from, to) : words.movedHint(from)}</p>
      <Button onClick={() => setAsking(true)}>{isThere ? words.move : words.remove}</Button>
      {asking && isThere && <MoveDialog tenant={tenant} to={to} onClose={close} />}
      {asking && !isThere && (
        <Confirm
          bad
          title={words.removeTitle(name, from)}
          hint={words.removeHint}
          submit={words.remove}
          act={() => dataOf(api.DELETE('/api/tenants/{id}/move', path(id)))}
          onDone={() => {
            notify(words.removed(name));
            void queryClient.invalidateQueries({ queryKey: movePlanQuery(id).queryKey });
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

/** Shows what a move would do, starts it and opens its page. */
function MoveDialog({ tenant: { id, name }, to, onClose }: { tenant: FullTenant; to: string; onClose(): void }) {
  const navigate = useNavigate();
  const { data, error } = useQuery({ ...movePlanQuery(id), gcTime: 0 });
  const plan = planIn(data);
  return (
    <Confirm
      title={words.dialogTitle(name, to)}
      hint={words.dialogHint}
      submit={words.move}
      ready={plan?.problems.length === 0}
      act={() =>
        dataOf(
          api.POST('/api/tenants/{id}/move', {
            params: { path: { id }, query: { wait: 'false' } },
            body: { dry_run: false },
          }),
        )
      }
      onDone={(answer) => {
        refreshTenant(id);
        if ('deployment_id' in answer) void navigate(`/tenants/${id}/deployments/${String(answer.deployment_id)}`);
      }}
      onClose={onClose}
    >
      {plan ? <Plan plan={plan} /> : <Waiting error={error} />}
    </Confirm>
  );
}

function Plan({ plan }: { plan: components['schemas']['MovePlan'] }) {
  const { from, version, commit, running, database, problems } = plan;
  const size = database?.size_mb == null ? null : sizeText(database.size_mb * 1024 ** 2);
  return (
    <section aria-label={words.check}>
      <Facts
        facts={{
          [words.from]: nameOf(from),
          [words.to]: nameOf(plan.to),
          [words.version]: version ?? commit.slice(0, 10),
          [words.services]: running ? words.running : words.stopped,
          [words.database]: database ? (database.copied ? words.copied(size) : words.stays) : words.noDatabase,
        }}
      />
      {problems.length > 0 && (
        <div role="alert" className={styles.bad}>
          {words.problems}
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
