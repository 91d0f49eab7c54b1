import { useState } from 'react';
import { api, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { Button } from '../../components/form/button.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { sitesText as words } from './messages.ts';
import { proxyQuery } from './queries.ts';
import type { ProxyTest } from './test-card.tsx';

const reload = (repair: boolean) =>
  dataOf(api.POST('/api/proxy/reload', { params: { query: { repair: repair ? 'true' : 'false' } } }));

const done = ({ repaired = [] }: { repaired?: string[] | undefined }): void => {
  notify(repaired.length > 0 ? words.repaired(repaired.join(', ')) : words.reloaded);
  // The sites too: their key begins with this one.
  void queryClient.invalidateQueries({ queryKey: proxyQuery.queryKey });
};

/** Testing changes nothing; reloading is an administrator's. */
export function ProxyActions({ test }: { test: ProxyTest }) {
  const operator = useHasRole('operator');
  const admin = useHasRole('admin');
  const [asking, setAsking] = useState(false);
  return (
    <>
      {operator && (
        <Button onClick={() => test.mutate()} disabled={test.isPending}>
          {test.isPending ? words.testing : words.test}
        </Button>
      )}
      {admin && <Button onClick={() => setAsking(true)}>{words.reload}</Button>}
      {asking && (
        <Confirm
          title={words.reloadTitle}
          hint={words.reloadHint}
          submit={words.reloadSubmit}
          act={() => reload(false)}
          onDone={done}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

/** Restores sites as they were. */
export function RepairButton({ count }: { count: number }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setAsking(true)}>
        {words.repair(count)}
      </Button>
      {asking && (
        <Confirm
          title={words.repairTitle(count)}
          hint={words.repairHint}
          submit={words.repairSubmit}
          act={() => reload(true)}
          onDone={done}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
