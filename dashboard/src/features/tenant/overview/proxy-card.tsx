import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../../../api/client.ts';
import { healthQuery } from '../../../api/queries.ts';
import type { components } from '../../../api/schema.ts';
import parts from '../../../components/components.module.css';
import { Facts } from '../../../components/data/facts.tsx';
import { Time } from '../../../components/data/time.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { certificateProblem } from '../../sites/messages.ts';
import { DnsCheck } from '../../tenants/form/dns-check.tsx';
import { overviewText } from './messages.ts';
import styles from './overview.module.css';
import { proxyQuery } from './queries.ts';

type Certificate = components['schemas']['TenantProxy']['certificates'][number];

/** Whether the proxy serves the tenant's domains as configured, and with which certificates. */
export function ProxyCard({ tenant: { id, deployed_at, domain, api_domain } }: { tenant: FullTenant }) {
  const operator = useHasRole('operator');
  const { data: proxy, error } = useQuery(proxyQuery(id));
  const { data: health } = useQuery({ ...healthQuery(id), enabled: deployed_at !== null });
  if (!proxy) {
    return (
      <section className={parts.card}>
        <h2>{overviewText.proxy}</h2>
        <Waiting error={error} />
      </section>
    );
  }
  const hint = overviewText.proxyHints[proxy.state];
  const state = (
    <>
      <span className={proxy.state === 'in_sync' ? styles.good : styles.warn}>
        {overviewText.proxyStates[proxy.state]}
      </span>
      {hint && <div className={styles.fine}>{hint}</div>}
    </>
  );
  return (
    <section className={parts.card}>
      <h2>{overviewText.proxy}</h2>
      {proxy.kind === 'none' ? (
        <p className={styles.fine}>{overviewText.noProxy}</p>
      ) : (
        <>
          <Facts
            facts={{
              [overviewText.proxyState]: state,
              [overviewText.proxyKind]: overviewText.proxyKinds[proxy.kind],
              [overviewText.applied]: proxy.applied_at && <Time at={proxy.applied_at} />,
              [overviewText.certificate]: proxy.certificates.length === 0 ? overviewText.noCertificate : undefined,
              [overviewText.certificateProblem]: proxy.certificate_error && (
                <span className={styles.bad}>{certificateProblem(proxy.certificate_error)}</span>
              ),
              [overviewText.nextAttempt]: proxy.certificate_error && proxy.next_attempt_at && (
                <Time at={proxy.next_attempt_at} />
              ),
            }}
          />
          {operator && <DnsCheck names={[domain, api_domain]} />}
          {proxy.certificates.map((certificate) => (
            <CertificateFacts key={certificate.fingerprint} certificate={certificate} flaw={flawOf(certificate)} />
          ))}
        </>
      )}
    </section>
  );

  /** The last check's result for the certificate that expires first. */
  function flawOf({ not_after }: Certificate): string | undefined {
    const seen = health?.certificate;
    return seen?.not_after === not_after && seen.error ? overviewText.expiresSoon : undefined;
  }
}

function CertificateFacts({ certificate, flaw }: { certificate: Certificate; flaw: string | undefined }) {
  const { names, issuer, not_after, days_left } = certificate;
  const bad = flaw !== undefined || days_left < 0;
  return (
    <Facts
      facts={{
        [overviewText.certificate]: names.join(', '),
        [overviewText.issuer]: issuer,
        [overviewText.validUntil]: (
          <>
            <Time at={not_after} />{' '}
            <span className={bad ? styles.bad : styles.good}>
              {overviewText.daysLeft(days_left)}
              {flaw && days_left >= 0 ? `, ${flaw}` : ''}
            </span>
          </>
        ),
      }}
    />
  );
}
