import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../../components/data/badge.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { timeText } from '../../../components/data/time.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Menu } from '../../../components/layout/menu.tsx';
import { PagePart } from '../../../components/layout/page.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import type { UpgradeActions } from './actions.ts';
import { upgradeText } from './messages.ts';
import { type AvailableVersion, maxOffered, versionsQuery } from './queries.ts';
import styles from './upgrade.module.css';
import type { Target } from './upgrade-dialog.tsx';
import { failedBefore } from './warnings.ts';

const pageSize = 20;

/** The repository's versions, and how each relates to the tenant's. */
export function Versions({ tenantId, ways }: { tenantId: string; ways: UpgradeActions }) {
  const [limit, setLimit] = useState(pageSize);
  const { data, error } = useQuery(versionsQuery(tenantId, limit));
  const operator = useHasRole('operator');
  if (!data) return <Waiting error={error} />;
  const { version, what, actions } = upgradeText.columns;
  const columns: Column<AvailableVersion>[] = [
    {
      name: version,
      cell: (one) => (
        <>
          <strong>{one.version}</strong>
          <span className={styles.commit}>{one.commit.slice(0, 10)}</span>
        </>
      ),
    },
    { name: what, cell: (one) => (isPlain(one) ? null : <Marks version={one} />) },
  ];
  const ofOperator: Column<AvailableVersion> = {
    name: actions,
    kind: 'action',
    cell: (one) => (one.deployed ? null : <Actions version={one} ways={ways} />),
  };
  return (
    <section>
      <PagePart
        title={upgradeText.versions}
        hint={data.total === 0 ? upgradeText.noVersions : upgradeText.versionsHint}
      />
      {data.total > 0 && (
        <DataTable
          label={upgradeText.versions}
          columns={operator ? [...columns, ofOperator] : columns}
          rows={data.versions}
          keyOf={(one) => one.version}
        />
      )}
      {data.versions.length < Math.min(data.total, maxOffered) && (
        <div className={styles.after}>
          <Button onClick={() => setLimit((before) => Math.min(maxOffered, before + pageSize))}>
            {upgradeText.more(data.versions.length, data.total)}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Whether there is nothing to report. */
const isPlain = ({ deployed, latest, pre_release, failure }: AvailableVersion): boolean =>
  !(deployed || latest || pre_release || failure);

const Marks = ({ version: { deployed, latest, pre_release, failure } }: { version: AvailableVersion }) => (
  <div className={styles.marks}>
    {deployed && <Badge tone="good">{upgradeText.marks.deployed}</Badge>}
    {latest && <Badge tone="plain">{upgradeText.marks.latest}</Badge>}
    {pre_release && <Badge tone="plain">{upgradeText.marks.preRelease}</Badge>}
    {failure && <Badge tone="bad">{upgradeText.marks.failed}</Badge>}
    {failure && (
      <span className={styles.why}>
        {timeText(failure.failed_at)}: {failure.reason}
      </span>
    )}
  </div>
);

/** An upgrade's target, with a warning if an upgrade to it failed before. */
export const targetOf = ({ version, older, failure }: AvailableVersion): Target => ({
  version,
  name: version,
  older,
  ...(failure ? { warning: failedBefore(failure) } : {}),
});

function Actions({ version: one, ways }: { version: AvailableVersion; ways: UpgradeActions }) {
  const { version, older } = one;
  const upgrade = (): void => ways.upgrade(targetOf(one));
  return (
    <div className={styles.menu}>
      <Menu
        label={upgradeText.actionsOf(version)}
        trigger={<Icon name="more" />}
        entries={[
          { label: upgradeText.rehearseOne, act: () => ways.rehearse(version), disabled: ways.busy },
          older
            ? { label: upgradeText.goBack, act: upgrade, bad: true, disabled: ways.busy }
            : { label: upgradeText.upgrade, act: upgrade, disabled: ways.busy },
        ]}
      />
    </div>
  );
}
