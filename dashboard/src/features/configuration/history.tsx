import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type FullTenant } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import parts from '../../components/components.module.css';
import { Time } from '../../components/data/time.tsx';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { Button } from '../../components/form/button.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import styles from './configuration.module.css';
import { isHidden } from './environment/env-rows.ts';
import { configurationText } from './messages.ts';
import { asked, type Config, type ConfigChange, configQuery, historyQuery, type Revision } from './queries.ts';
import { ChangeList } from './review.tsx';

const words = configurationText.history;
const pageSize = 10;

/** What changes if these revisions, the newest first, are undone. */
function undoing(revisions: readonly Revision[]): ConfigChange[] {
  const changes = new Map<string, ConfigChange>();
  for (const change of revisions.flatMap((one) => one.changes)) {
    const key = `${change.field} ${change.entry ?? ''}`;
    const newer = changes.get(key);
    changes.set(key, { ...change, before: newer ? newer.before : change.after, after: change.before });
  }
  // Hidden values look alike.
  return [...changes.values()].filter(({ before, after }) => before !== after || isHidden(before ?? ''));
}

/** The last changes of a configuration, each with the way back to it. */
export function History({ tenant: { id }, config }: { tenant: FullTenant; config: Config }) {
  const [limit, setLimit] = useState(pageSize);
  const [chosen, setChosen] = useState<Revision>();
  const { data } = useQuery(historyQuery(id, limit, config.revision));
  if (!data || data.total === 0) return null;
  return (
    <section className={parts.card}>
      <PagePart title={words.title} hint={words.hint} />
      <ol className={styles.history}>
        {data.revisions.map((one) => (
          <li key={one.revision}>
            <details>
              <summary>
                {words.revision(one.revision)}
                <span className={styles.fine}>
                  <Time at={one.created_at} /> · {one.username ?? words.unknown} · {words.changes(one.changes.length)}
                </span>
              </summary>
              <ChangeList changes={one.changes} />
            </details>
            {one.revision === config.revision ? (
              <span className={styles.fine}>{words.current}</span>
            ) : (
              <Button variant="quiet" aria-label={words.revertTo(one.revision)} onClick={() => setChosen(one)}>
                {words.revert}
              </Button>
            )}
          </li>
        ))}
      </ol>
      {data.revisions.length < data.total && (
        <Button onClick={() => setLimit((before) => before + pageSize)}>{words.more}</Button>
      )}
      {chosen && (
        <Confirm
          title={words.ask(chosen.revision)}
          hint={words.askHint}
          submit={words.submit}
          act={() => {
            const body = { to: chosen.revision, revision: config.revision };
            return dataOf(api.POST('/api/tenants/{id}/config/revert', { ...asked(id), body }));
          }}
          onDone={(reverted) => {
            queryClient.setQueryData(configQuery(id).queryKey, reverted);
            void queryClient.invalidateQueries({ queryKey: ['tenant', id] });
            notify(words.done(chosen.revision));
          }}
          onClose={() => setChosen(undefined)}
        >
          <ChangeList changes={undoing(data.revisions.filter(({ revision }) => revision > chosen.revision))} />
        </Confirm>
      )}
    </section>
  );
}
