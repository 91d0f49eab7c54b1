import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import parts from '../../components/components.module.css';
import { Badge } from '../../components/data/badge.tsx';
import { Facts } from '../../components/data/facts.tsx';
import { Time } from '../../components/data/time.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Note } from '../../components/feedback/note.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { sitesText as words } from './messages.ts';
import { Output } from './output.tsx';
import { type ProxyState, proxyQuery, type Site, sitesQuery } from './queries.ts';
import { ProxyActions, RepairButton } from './site-actions.tsx';
import styles from './sites.module.css';
import { SitesTable } from './sites-table.tsx';
import { TestCard, useProxyTest } from './test-card.tsx';

/** The reverse proxy, and the tenants' sites there. */
export function ProxySection() {
  const { data: proxy, error } = useQuery(proxyQuery);
  if (!proxy) return <Waiting error={error} />;
  if (proxy.kind === 'none') return <NoProxy />;
  return (
    <>
      <ErrorNote error={error} />
      <ProxyItself proxy={proxy} />
    </>
  );
}

const NoProxy = () => (
  <Empty title={words.none.title} hint={words.none.hint}>
    <pre className={styles.example}>{words.none.example}</pre>
    <p>{words.none.more}</p>
  </Empty>
);

function ProxyItself({ proxy }: { proxy: ProxyState }) {
  const { data: sites, error } = useQuery(sitesQuery);
  const test = useProxyTest();
  return (
    <>
      <PagePart title={words.kinds[proxy.kind]} hint={words.hint}>
        <ProxyActions test={test} />
      </PagePart>
      {!proxy.available && (
        <div className={styles.drift}>
          <Note tone="bad" title={words.away(words.kinds[proxy.kind])}>
            <p>{proxy.detail}</p>
            <p>{words.awayHint}</p>
          </Note>
        </div>
      )}
      {proxy.warnings.map(({ code, params }) => (
        <div key={params.option} className={styles.drift}>
          <Note tone="warn" title={words.warnings[code](params.entry_point)}>
            <pre className={styles.example}>{params.option}</pre>
          </Note>
        </div>
      ))}
      {sites && <Drift sites={sites} />}
      <div className={styles.cards}>
        <section className={parts.card}>
          <h3 className={styles.cardTitle}>{words.state}</h3>
          <Facts
            facts={{
              [words.now]: proxy.available ? (
                <Badge tone="good">{words.usable}</Badge>
              ) : (
                <Badge tone="bad">{words.unusable}</Badge>
              ),
              [words.version]: proxy.available ? proxy.detail : undefined,
              [words.sites]: sites && words.siteCount(sites.length),
            }}
          />
        </section>
        <LastChange change={proxy.last_change} />
        <TestCard test={test} />
      </div>
      <h2 className={styles.tableTitle}>{words.sites}</h2>
      {sites ? <SitesTable sites={sites} /> : <Waiting error={error} />}
    </>
  );
}

const isDrifted = ({ state }: Site): boolean => state === 'edited' || state === 'missing';

/** The suggested action. */
function Drift({ sites }: { sites: readonly Site[] }) {
  const admin = useHasRole('admin');
  const count = sites.filter(isDrifted).length;
  if (count === 0) return null;
  return (
    <div className={styles.drift}>
      <Note tone="warn" title={words.driftTitle(count)} actions={admin && <RepairButton count={count} />}>
        <p>
          {words.driftHint} {!admin && words.driftAsk}
        </p>
      </Note>
    </div>
  );
}

const tones = { changed: 'good', unchanged: 'plain', failed: 'bad' } as const;

/** The proxy's answer to the last change. */
const LastChange = ({ change }: { change: ProxyState['last_change'] }) => (
  <section className={parts.card}>
    <div className={styles.cardHead}>
      <h3 className={styles.cardTitle}>{words.lastChange}</h3>
      {change && <Badge tone={tones[change.outcome]}>{words.outcomes[change.outcome]}</Badge>}
    </div>
    {!change && <p className={styles.fine}>{words.noChange}</p>}
    {change && (
      <>
        <p className={styles.fine}>
          <Link to={`/system/proxy/${change.tenant_id}`}>{change.slug}</Link>, <Time at={change.at} />
        </p>
        <Output label={words.output} text={change.output || words.noOutput} />
      </>
    )}
  </section>
);
