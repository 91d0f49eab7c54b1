import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { queryClient } from '../../../api/queries.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { draftFromUpgrade, queryOf } from './draft.ts';
import { upgradesText } from './messages.ts';
import { changeFleet, type Fleet, fleetQuery } from './queries.ts';

const words = upgradesText.one;

/** A fleet upgrade's actions by its state: pause, continue, stop; after its end, retry the failed tenants. */
export function FleetActions({ fleet }: { fleet: Fleet }) {
  const { id, status, tenants } = fleet;
  const [asking, setAsking] = useState<'resume' | 'cancel'>();
  const navigate = useNavigate();
  const took = (changed: Fleet, said: string): void => {
    queryClient.setQueryData(fleetQuery(id).queryKey, changed);
    void queryClient.invalidateQueries({ queryKey: ['fleets'] });
    notify(said);
  };
  const change = useMutation({
    mutationFn: (action: 'pause' | 'resume') => changeFleet(id, action),
    onSuccess: (changed, action) => took(changed, action === 'pause' ? words.pausedDone : words.resumed),
    onError: notifyError,
  });
  if (!useHasRole('operator')) return null;
  const open = status !== 'cancelled' && status !== 'completed';
  const failed = tenants.filter((member) => member.status === 'failed');
  const retry = (): void => {
    const handed = failed.map(({ tenant_id, slug }) => ({ id: tenant_id, name: slug }));
    void navigate(`/upgrades/new?${queryOf(draftFromUpgrade(fleet))}`, { state: { tenants: handed } });
  };
  return (
    <>
      {(status === 'running' || status === 'pending') && (
        <Button disabled={change.isPending} onClick={() => change.mutate('pause')}>
          {words.pause}
        </Button>
      )}
      {(status === 'paused' || status === 'halted') && (
        <Button
          variant="primary"
          disabled={change.isPending}
          onClick={() => (status === 'halted' ? setAsking('resume') : change.mutate('resume'))}
        >
          {words.resume}
        </Button>
      )}
      {open && <Button onClick={() => setAsking('cancel')}>{words.cancel}</Button>}
      {!open && failed.length > 0 && (
        <Button variant="primary" onClick={retry}>
          {words.retry(failed.length)}
        </Button>
      )}
      {asking === 'resume' && (
        <Confirm
          title={words.resumeTitle}
          hint={words.resumeHint}
          submit={words.resume}
          act={() => changeFleet(id, 'resume')}
          onDone={(changed) => took(changed, words.resumed)}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'cancel' && (
        <Confirm
          bad
          title={words.cancelTitle}
          hint={words.cancelHint}
          submit={words.cancelSubmit}
          act={() => changeFleet(id, 'cancel')}
          onDone={(changed) => took(changed, words.cancelled)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}
