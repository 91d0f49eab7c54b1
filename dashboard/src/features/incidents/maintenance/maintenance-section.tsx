import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, dataOf } from '../../../api/client.ts';
import { tenantsQuery } from '../../../api/queries.ts';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Empty } from '../../../components/feedback/empty.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { maintenanceText } from './messages.ts';
import { type MaintenanceWindow, maintenanceQuery, refreshMaintenance } from './queries.ts';
import { WindowForm } from './window-form.tsx';

/** Maintenance windows of all tenants. */
export function MaintenanceSection() {
  const { data, error } = useQuery(maintenanceQuery);
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const [adding, setAdding] = useState(false);
  const [changing, setChanging] = useState<MaintenanceWindow>();
  const [removing, setRemoving] = useState<MaintenanceWindow>();
  const add = (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Icon name="add" />
      {maintenanceText.add}
    </Button>
  );
  const nameOf = (id: string): string => tenants.find((tenant) => tenant.id === id)?.name ?? id;
  return (
    <>
      <PagePart title={maintenanceText.title} hint={maintenanceText.hint}>
        {data && data.total > 0 && add}
      </PagePart>
      {!data && <Waiting error={error} />}
      {data?.total === 0 && (
        <Empty title={maintenanceText.emptyTitle} hint={maintenanceText.emptyHint}>
          {add}
        </Empty>
      )}
      {data && data.total > 0 && (
        <DataTable
          label={maintenanceText.title}
          columns={columnsOf(nameOf, { change: setChanging, remove: setRemoving })}
          rows={data.maintenance_windows}
          keyOf={({ id }) => id}
        />
      )}
      {adding && <WindowForm onClose={() => setAdding(false)} />}
      {changing && <WindowForm window={changing} onClose={() => setChanging(undefined)} />}
      {removing && (
        <Confirm
          bad
          title={maintenanceText.removeTitle}
          hint={maintenanceText.removeHint}
          submit={maintenanceText.remove}
          act={() => dataOf(api.DELETE('/api/maintenance-windows/{id}', { params: { path: { id: removing.id } } }))}
          onDone={() => {
            refreshMaintenance();
            notify(maintenanceText.removed);
          }}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

function columnsOf(
  nameOf: (tenantId: string) => string,
  actions: Record<'change' | 'remove', (window: MaintenanceWindow) => void>,
): Column<MaintenanceWindow>[] {
  const { columns } = maintenanceText;
  return [
    {
      name: columns.reason,
      kind: 'text',
      cell: ({ reason, active }) => (
        <>
          {reason} {active && <Badge tone="busy">{maintenanceText.active}</Badge>}
        </>
      ),
    },
    {
      name: columns.tenant,
      cell: ({ tenant_id: id }) =>
        id === null ? maintenanceText.all : <Link to={`/tenants/${id}`}>{nameOf(id)}</Link>,
    },
    { name: columns.from, cell: ({ starts_at }) => <Time at={starts_at} /> },
    { name: columns.to, cell: ({ ends_at }) => <Time at={ends_at} /> },
    {
      name: columns.repeats,
      cell: ({ weekly, time_zone }) => (weekly ? maintenanceText.weekly(time_zone) : maintenanceText.once),
    },
    { name: columns.by, cell: ({ created_by }) => created_by },
    {
      name: columns.actions,
      kind: 'action',
      cell: (window) => (
        <>
          <Button aria-label={maintenanceText.changeOf(window.reason)} onClick={() => actions.change(window)}>
            {maintenanceText.change}
          </Button>
          <Button aria-label={maintenanceText.removeOf(window.reason)} onClick={() => actions.remove(window)}>
            {maintenanceText.remove}
          </Button>
        </>
      ),
    },
  ];
}
