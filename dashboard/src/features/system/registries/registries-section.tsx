import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Menu } from '../../../components/layout/menu.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { listed } from '../../../lib/figures.ts';
import { registriesText } from './messages.ts';
import { deleteRegistry, type Registry, refreshRegistries, registriesQuery, testRegistry } from './queries.ts';
import { RegistryForm } from './registry-form.tsx';

/** The credentials of image registries, for administrators. */
export function RegistriesSection() {
  const { data, error } = useQuery(registriesQuery);
  const [editing, setEditing] = useState<Registry | 'new'>();
  const [deleting, setDeleting] = useState<Registry>();
  const test = useMutation({ mutationFn: ({ id }: Registry) => testRegistry(id), onError: notifyError });
  if (!data) return <Waiting error={error} />;
  const addButton = (
    <Button variant="primary" onClick={() => setEditing('new')}>
      <Icon name="add" />
      {registriesText.add}
    </Button>
  );
  const { columns: names } = registriesText;
  const columns: Column<Registry>[] = [
    {
      name: names.host,
      kind: 'text',
      cell: ({ host, username }) => (
        <>
          <strong>{host}</strong>
          <div className={parts.fine}>{username}</div>
        </>
      ),
    },
    { name: names.use, kind: 'text', cell: usersOf },
    { name: names.changed, cell: ({ updated_at }) => <Time at={updated_at} /> },
    {
      name: names.actions,
      kind: 'action',
      cell: (registry) => (
        <>
          <Button
            aria-label={registriesText.testOf(registry.host)}
            disabled={test.isPending}
            onClick={() => test.mutate(registry)}
          >
            {registriesText.test}
          </Button>
          <Menu
            label={registriesText.actionsOf(registry.host)}
            trigger={<Icon name="more" />}
            entries={[
              { label: registriesText.edit, act: () => setEditing(registry) },
              { label: registriesText.delete, act: () => setDeleting(registry), bad: true },
            ]}
          />
        </>
      ),
    },
  ];
  return (
    <>
      <PagePart title={registriesText.section} hint={registriesText.hint}>
        {data.length > 0 && addButton}
      </PagePart>
      {test.data && test.variables && (
        <Note
          tone={test.data.accepted ? 'good' : 'bad'}
          title={(test.data.accepted ? registriesText.accepted : registriesText.refused)(test.variables.host)}
        >
          <p>{test.data.reason}</p>
        </Note>
      )}
      {data.length === 0 ? (
        <Empty title={registriesText.emptyTitle} hint={registriesText.emptyHint}>
          {addButton}
        </Empty>
      ) : (
        <DataTable label={registriesText.section} columns={columns} rows={data} keyOf={({ id }) => id} />
      )}
      {editing && (
        <RegistryForm registry={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {deleting && (
        <Confirm
          bad
          title={registriesText.deleting.title(deleting.host)}
          hint={registriesText.deleting.hint}
          submit={registriesText.deleting.submit}
          act={() => deleteRegistry(deleting.id)}
          onDone={() => {
            refreshRegistries();
            notify(registriesText.deleting.done(deleting.host));
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

function usersOf({ tenant_ids: tenants, repositories }: Registry): string {
  const users = [
    ...(tenants.length > 0 ? [registriesText.tenants(tenants.length)] : []),
    ...(repositories.length > 0 ? [registriesText.repositories(repositories.length)] : []),
  ];
  return users.length === 0 ? registriesText.unused : listed(users);
}
