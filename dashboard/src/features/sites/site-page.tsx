import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { tenantQuery } from '../../api/queries.ts';
import parts from '../../components/components.module.css';
import { type Column, DataTable } from '../../components/data/data-table.tsx';
import { Facts } from '../../components/data/facts.tsx';
import { Time } from '../../components/data/time.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Note } from '../../components/feedback/note.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { Icon } from '../../components/layout/icon.tsx';
import { BackLink, PagePart } from '../../components/layout/page.tsx';
import { saveBlob } from '../../lib/save-file.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { certificateProblem, sitesText as words } from './messages.ts';
import { Output } from './output.tsx';
import { siteQuery, type TenantProxy } from './queries.ts';
import { DaysBadge, SiteBadge } from './site-badges.tsx';
import styles from './sites.module.css';

/** A tenant's proxy configuration file, read-only, and its certificates. */
export function SitePage() {
  const { tenantId = '' } = useParams();
  const { data: site, error } = useQuery(siteQuery(tenantId));
  const { data: tenant } = useQuery(tenantQuery(tenantId));
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <>
      <BackLink to="/system/proxy">{words.back}</BackLink>
      <PagePart title={tenant?.name ?? words.siteOf} />
      {site && <ErrorNote error={error} />}
      {site ? <SiteParts site={site} tenantName={tenant?.name ?? words.tenant} /> : <Waiting error={error} />}
    </>
  );
}

function SiteParts({ site, tenantName }: { site: TenantProxy; tenantName: string }) {
  const { tenant_id, state, path, applied_at, certificates, certificate_error, next_attempt_at } = site;
  return (
    <div className={styles.stack}>
      <section className={parts.card}>
        <Facts
          facts={{
            [words.state]: (
              <>
                <SiteBadge state={state} />
                {words.explained[state] && <p className={styles.fine}>{words.explained[state]}</p>}
              </>
            ),
            [words.tenant]: <Link to={`/tenants/${tenant_id}`}>{tenantName}</Link>,
            [words.applied]: applied_at && <Time at={applied_at} />,
            [words.path]: path && <span className={styles.mono}>{path}</span>,
          }}
        />
      </section>
      <section>
        <PagePart title={words.certificates} />
        {certificate_error && (
          <Note tone="bad" title={words.certificateError}>
            <p className={styles.mono}>{certificateProblem(certificate_error)}</p>
            {next_attempt_at && (
              <p>
                {words.nextAttempt}: <Time at={next_attempt_at} />
              </p>
            )}
          </Note>
        )}
        {certificates.length === 0 ? (
          <p className={styles.fine}>{words.noCertificates}</p>
        ) : (
          <DataTable
            label={words.certificates}
            columns={certificateColumns}
            rows={certificates}
            keyOf={({ fingerprint }) => fingerprint}
          />
        )}
      </section>
      <RenderedFile site={site} />
    </div>
  );
}

const certificateColumns: Column<TenantProxy['certificates'][number]>[] = [
  { name: words.names, kind: 'text', cell: ({ names }) => names.join(', ') },
  { name: words.left, cell: ({ days_left }) => <DaysBadge days={days_left} /> },
  { name: words.expires, cell: ({ not_after }) => <Time at={not_after} /> },
  { name: words.source, cell: ({ source }) => words.sources[source] ?? source },
  { name: words.issuer, kind: 'text', cell: ({ issuer }) => issuer },
];

function RenderedFile({ site: { path, configuration, applied_at } }: { site: TenantProxy }) {
  const fileName = path?.split('/').at(-1) ?? 'site';
  return (
    <section>
      <PagePart
        title={words.file}
        hint={configuration === null ? words.fileNone : applied_at ? words.fileHint : words.fileWould}
      >
        {configuration !== null && (
          <Button onClick={() => saveBlob(new Blob([configuration], { type: 'text/plain' }), fileName)}>
            <Icon name="download" />
            {words.save}
          </Button>
        )}
      </PagePart>
      {configuration !== null && <Output label={words.file} text={configuration} />}
    </section>
  );
}
