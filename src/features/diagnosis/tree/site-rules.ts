import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { Cause, CauseCode } from '../schema.ts';
import { type Draft, ofTenant, type Rule, remedy, seen } from './draft.ts';

const outside = ({ health }: Facts) => {
  const page = valueIn(health)?.proxy;
  return page?.status === 'down' ? page : undefined;
};

/** Evidence of the health check through the reverse proxy. */
export const outsideEvidence = (facts: Facts): Cause['evidence'] => {
  const page = outside(facts);
  return page ? [seen(facts.health, `Through the reverse proxy: ${page.error ?? 'no answer'}`)] : [];
};

const proxyAway: Rule = (facts) => {
  const { proxy } = facts.site;
  const answer = valueIn(proxy);
  const page = outside(facts);
  const refuses = page?.problem === 'refused' || page?.problem === 'no_route' || page?.problem === 'unknown_name';
  if (!(answer?.available === false && page) && !refuses) return undefined;
  return {
    code: 'proxy_unavailable',
    title: 'The reverse proxy does not answer',
    confidence: 'certain',
    scope: { kind: 'proxy', name: 'reverse proxy' },
    evidence: [...(answer?.available === false ? [seen(proxy, answer.reason)] : []), ...outsideEvidence(facts)],
    remedy: remedy('Start the reverse proxy on its host.', { link: '/system/proxy' }),
  };
};

const siteChanged: Rule = (facts) => {
  const { state } = facts.site;
  const found = valueIn(state);
  if ((found !== 'edited' && found !== 'missing') || !outside(facts)) return undefined;
  const isMissing = found === 'missing';
  return {
    code: 'site_changed',
    title: isMissing
      ? 'The site’s configuration at the reverse proxy was removed'
      : 'The site’s configuration at the reverse proxy was changed by hand',
    confidence: isMissing ? 'certain' : 'likely',
    scope: ofTenant(facts),
    evidence: [
      seen(state, isMissing ? 'Its file is missing' : 'Its file differs from the applied one'),
      ...outsideEvidence(facts),
    ],
    remedy: remedy('Repair the site: that writes the configuration again.', {
      action: 'repair_site',
      link: `/system/proxy/${facts.tenant.id}`,
    }),
  };
};

/** Problems of the certificate, whether or not the check went through. */
const certificate: Rule = (facts) => {
  const { certificate: reading } = facts.site;
  const found = valueIn(reading);
  const page = outside(facts);
  const link = `/system/proxy/${facts.tenant.id}`;
  const draft = (code: CauseCode, title: string, fact: string, fix: string): Draft => ({
    code,
    title,
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(reading, fact), ...outsideEvidence(facts)],
    remedy: remedy(fix, { link }),
  });
  const now = facts.at.getTime();
  if (found && found.notBefore.getTime() > now)
    return draft(
      'certificate_not_yet_valid',
      'The certificate is not valid yet, so this host’s clock is probably wrong',
      `The certificate is valid from ${found.notBefore.toISOString()}`,
      'Set the host’s clock by NTP.',
    );
  if (found && found.notAfter.getTime() <= now)
    return draft(
      'certificate_expired',
      'The certificate has expired',
      `The certificate was valid until ${found.notAfter.toISOString()}`,
      'See why it was not renewed, and renew it.',
    );
  if (found && found.wrongNames.length > 0)
    return draft(
      'certificate_wrong_name',
      'The certificate is for other host names',
      `The certificate is not valid for ${found.wrongNames.join(', ')}`,
      'Get a certificate for the tenant’s host names: deploy it again.',
    );
  if (page?.problem === 'other_certificate' || page?.problem === 'no_certificate')
    return draft(
      'certificate_wrong_name',
      'The reverse proxy serves another certificate than the site’s',
      'The site has a certificate of its own',
      'Repair the site: that writes the configuration again.',
    );
  return undefined;
};

const misroutes: Rule = (facts) => {
  const page = outside(facts);
  if (!page) return undefined;
  return {
    code: 'proxy_misroutes',
    title: 'The services answer, but not through the reverse proxy',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [...outsideEvidence(facts), seen(facts.health, 'The API and the site answer directly')],
    remedy: remedy(
      'Repair the site. If that does not help, look for another site with its host names at the reverse proxy.',
      { action: 'repair_site', link: `/system/proxy/${facts.tenant.id}` },
    ),
  };
};

/** A quarter of usual lifetimes has passed without a renewal: see the health check's own threshold. */
const certificateExpiring: Rule = (facts) => {
  const { certificate: reading } = facts.site;
  const found = valueIn(reading);
  const left = found ? found.notAfter.getTime() - facts.at.getTime() : 0;
  if (!found || left >= (found.notAfter.getTime() - found.notBefore.getTime()) / 6) return undefined;
  return {
    code: 'certificate_expiring',
    title: 'The certificate expires soon and has not been renewed',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(reading, `The certificate is valid until ${found.notAfter.toISOString()}`)],
    remedy: remedy('See why it was not renewed, and renew it.', { link: `/system/proxy/${facts.tenant.id}` }),
  };
};

const dns: Rule = (facts) => {
  const { dns: reading } = facts.site;
  const wrong = valueIn(reading)?.find(({ state }) => state === 'missing' || state === 'elsewhere');
  if (!wrong) return undefined;
  const isMissing = wrong.state === 'missing';
  return {
    code: isMissing ? 'dns_missing' : 'dns_elsewhere',
    title: isMissing
      ? `The host name ${wrong.name} has no address`
      : `The host name ${wrong.name} leads to another address than the reverse proxy`,
    confidence: isMissing ? 'certain' : 'likely',
    scope: ofTenant(facts),
    evidence: [
      seen(reading, isMissing ? 'The name servers know no address' : `It leads to ${wrong.addresses.join(', ')}`),
    ],
    remedy: remedy('Correct its records at the provider of the host name.', {
      link: `/system/proxy/${facts.tenant.id}`,
    }),
  };
};

/** Health checks reach the reverse proxy itself, not by way of a front proxy. */
const redirectsToItself: Rule = (facts) => {
  const { selfRedirect } = facts.site;
  const address = valueIn(selfRedirect);
  if (address === undefined) return undefined;
  return {
    code: 'redirects_to_itself',
    title: 'The site redirects to itself, so browsers give up',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(selfRedirect, address)],
    remedy: remedy('If a CDN or a load balancer ends TLS in front of the reverse proxy, name it in FRONT_PROXIES.', {
      link: '/system/proxy',
    }),
  };
};

/** In health checks that fail. */
export const siteRules: Rule[] = [proxyAway, siteChanged, certificate, misroutes];
/** What visitors notice later, or health checks don't see: they go to the reverse proxy directly and accept any valid certificate of the site. */
export const unseenRules: Rule[] = [certificate, certificateExpiring, dns];
export const redirectRules: Rule[] = [redirectsToItself];
