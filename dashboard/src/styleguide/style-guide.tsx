import type { CSSProperties, ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import parts from '../components/components.module.css';
import { Badge, HealthBadge, StatusBadge, WorkBadge } from '../components/data/badge.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { Facts } from '../components/data/facts.tsx';
import { Progress } from '../components/data/progress.tsx';
import { confirm } from '../components/feedback/dialogs.tsx';
import { Empty } from '../components/feedback/empty.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Note } from '../components/feedback/note.tsx';
import { notify, notifyError } from '../components/feedback/toasts.tsx';
import { Waiting } from '../components/feedback/waiting.tsx';
import { Button, IconButton } from '../components/form/button.tsx';
import { CheckField } from '../components/form/check-field.tsx';
import { CopyField } from '../components/form/copy-field.tsx';
import { FileDrop } from '../components/form/file-drop.tsx';
import { SearchField } from '../components/form/search-field.tsx';
import { SelectField } from '../components/form/select-field.tsx';
import { TextField } from '../components/form/text-field.tsx';
import { Icon, iconNames } from '../components/layout/icon.tsx';
import { Menu } from '../components/layout/menu.tsx';
import { PageHead, PagePart, Sections } from '../components/layout/page.tsx';
import { LogView } from '../components/log/log-view.tsx';
import type { LogLine } from '../components/log/replay-dedup.ts';
import { UptimeStrip } from '../features/history/uptime-strip.tsx';
import { number } from '../lib/figures.ts';
import styles from './style-guide.module.css';

const nothing = (): void => undefined;

const surfaces = ['surface', 'surface-sunken', 'surface-raised', 'surface-hover', 'surface-active', 'surface-selected'];
const meanings = ['accent', 'success', 'warning', 'danger', 'info'].flatMap((meaning) =>
  ['subtle', 'muted', 'border', 'solid', 'text'].map((variant) => `${meaning}-${variant}`),
);
const sizes = ['text-24', 'text-20', 'text-16', 'text-14', 'text-13', 'text-12', 'text-11', 'mono-12'];

const rows = [
  { name: 'Bright Harbor Alliance', version: 'v2.5.0', people: 12_480, status: 'error', health: 'unhealthy' },
  { name: 'Greenville Votes', version: 'v2.4.1', people: 3_104, status: 'running', health: 'degraded' },
  { name: 'Hollins for Senate', version: 'v2.5.0', people: 88, status: 'running', health: 'healthy' },
  { name: 'Ashford for Council', version: '–', people: 0, status: 'stopped', health: 'unknown' },
] as const;

const failure = new ApiError({ status: 409, code: 'operation_in_progress', message: 'A backup is running.' });

const lines: readonly LogLine[] = [
  { from: 'api', text: 'listening on 127.0.0.1:3002' },
  { from: 'frontend', text: 'ready in 212 ms' },
  { from: 'api', text: 'WARN slow query: 1,204 ms', level: 'warning' },
  { from: 'api', text: 'ERROR connect ECONNREFUSED 10.0.0.9:3306', level: 'error' },
];

/** Some days without checks, with a short and with a long outage. */
const days = Array.from({ length: 90 }, (_, day) => (day < 12 ? null : day === 40 ? 99.2 : day === 71 ? 62 : 100));

/** Every shared component in its states, to look at when one is changed. The texts are samples. */
export const StyleGuide = () => (
  <main className={styles.page}>
    <PageHead title="Style guide" hint="The shared components in their states, and the tokens they are made of.">
      <Button>Secondary</Button>
      <Button variant="primary">
        <Icon name="add" />
        Primary
      </Button>
    </PageHead>

    <Part title="Colours">
      <div className={styles.row}>{[...surfaces, ...meanings].map(swatch)}</div>
    </Part>

    <Part title="Type">
      <div className={styles.types}>
        {sizes.map((size) => (
          <span key={size} style={{ font: `var(--${size})` } as CSSProperties}>
            {size}: 1,204 people imported in 38 s, 0O 1lI
          </span>
        ))}
      </div>
    </Part>

    <Part title="Icons">
      <div className={styles.row}>
        {iconNames.map((name) => (
          <Icon key={name} name={name} />
        ))}
      </div>
    </Part>

    <Part title="Buttons">
      <div className={styles.row}>
        {(['primary', 'plain', 'quiet', 'danger'] as const).map((variant) => (
          <Button key={variant} variant={variant}>
            {variant}
          </Button>
        ))}
        <Button disabled>disabled</Button>
        <IconButton icon="download" label="Export CSV" />
        <IconButton icon="close" label="Close" variant="quiet" />
        <Menu label="Actions" trigger="Actions" bordered entries={[]} />
      </div>
    </Part>

    <Part title="States">
      <div className={styles.row}>
        {(['pending', 'running', 'stopped', 'error'] as const).map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
        {rows.map(({ name, health }) => (
          <HealthBadge key={name} tenant={{ status: 'running', health_status: health }} />
        ))}
      </div>
      <div className={styles.row}>
        {(['queued', 'running', 'success', 'failed', 'cancelled'] as const).map((status) => (
          <WorkBadge key={status} status={status} />
        ))}
        <Badge tone="plain">Not imported</Badge>
      </div>
    </Part>

    <Part title="Fields">
      <div className={styles.columns}>
        <TextField name="name" label="Name" hint="Shown in the list of tenants" value="Elm Street" onChange={nothing} />
        <TextField name="slug" label="Short name" value="Elm Street" error="Only letters, figures and hyphens" />
        <SelectField<'daily' | 'weekly'>
          label="Schedule"
          value="daily"
          options={{ daily: 'Every night', weekly: 'Every week' }}
          onChange={nothing}
        />
        <TextField name="notes" label="Notes" type="textarea" value="Call before an upgrade" onChange={nothing} />
        <CopyField label="Token" value="tt_0123456789abcdef" hint="It is shown only now" />
        <div className={parts.field}>
          <SearchField label="Search tenants" placeholder="Name, slug or domain" value="" onChange={nothing} />
          <CheckField label="Back up first" hint="Recommended" checked onChange={nothing} />
          <CheckField label="Remove files" checked={false} disabled onChange={nothing} />
        </div>
        <FileDrop
          label="Choose a file"
          hint="CSV or Excel, up to 50 MB"
          accept={{ 'text/csv': ['.csv'] }}
          onFile={nothing}
        />
      </div>
    </Part>

    <Part title="Sections of a page">
      <Sections
        label="Sections"
        entries={[
          { to: '/tenants', name: 'Overview', icon: 'overview' },
          { to: '/deployments', name: 'Deployments', icon: 'deploy' },
          { to: '/logs', name: 'Logs', icon: 'logs' },
        ]}
      />
    </Part>

    <Part title="Tables and facts">
      <DataTable
        label="Tenants"
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Name', cell: ({ name }) => name },
          { name: 'Health', cell: ({ status, health }) => <HealthBadge tenant={{ status, health_status: health }} /> },
          { name: 'Version', cell: ({ version }) => version },
          { name: 'People', kind: 'figure', cell: ({ people }) => number(people) },
          { name: 'Actions', kind: 'action', cell: () => <IconButton icon="more" label="Actions" variant="quiet" /> },
        ]}
      />
      <div className={parts.card}>
        <h2>Last deployment</h2>
        <Facts facts={{ Version: 'v2.5.0', Commit: <code>9c41e7b</code>, Duration: '38 s' }} />
        <Progress label="Progress" percent={64} />
      </div>
    </Part>

    <Part title="Notes">
      <Note tone="plain" title="Integrity verified">
        The backup was read completely.
      </Note>
      <Note tone="good" title="Deployed">
        Visitors see v2.5.0.
      </Note>
      <Note tone="warn" title="The certificate expires in 3 days" actions={<Button>Renew</Button>} />
      <Note tone="bad" title="The API does not answer">
        Sign-in, search and saving fail for every visitor.
      </Note>
      <ErrorNote error={failure} />
    </Part>

    <Part title="Log and uptime">
      <LogView label="Log of the API" lines={lines} services={{ api: 'API', frontend: 'Site' }} fileName="sample.log" />
      <UptimeStrip label="Uptime of the last 90 days" days={days} objective={99.5} />
    </Part>

    <Part title="Over the page">
      <div className={styles.row}>
        <Button
          onClick={() =>
            confirm({ title: 'Restart Elm Street?', hint: 'It takes a moment.', submit: 'Restart' }, nothing)
          }
        >
          Confirmation
        </Button>
        <Button
          variant="danger"
          onClick={() =>
            confirm(
              { title: 'Stop Elm Street?', hint: 'Visitors see an error page.', submit: 'Stop', bad: true },
              nothing,
            )
          }
        >
          Dangerous confirmation
        </Button>
        <Button onClick={() => notify('Elm Street was restarted.')}>Message</Button>
        <Button onClick={() => notifyError(failure)}>Error message</Button>
        <Menu
          label="Sample menu"
          trigger="Menu"
          bordered
          entries={[
            { label: 'Restart', icon: 'restart', act: nothing },
            { label: 'Deploy', icon: 'deploy', act: nothing, disabled: true },
            { label: 'Delete…', icon: 'remove', act: nothing, bad: true },
          ]}
        />
      </div>
    </Part>

    <Part title="Nothing there, and not yet there">
      <div className={styles.columns}>
        <Empty title="No tenants yet" hint="A tenant is one copy of your application with its own address and data.">
          <Button variant="primary">New tenant</Button>
        </Empty>
        <Waiting error={undefined} />
      </div>
    </Part>
  </main>
);

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <PagePart title={title} />
    {children}
  </section>
);

const swatch = (token: string) => (
  <span key={token} className={styles.swatch} style={{ '--shown': `var(--${token})` } as CSSProperties}>
    {token}
  </span>
);
