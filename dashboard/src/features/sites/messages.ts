import { plainText } from '../../components/log/plain-text.ts';
import { type ApiTexts, apiText } from '../../lib/api-text.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  kinds: { none: 'None', nginx: 'nginx', traefik: 'Traefik' },
  hint: 'It serves the tenants’ host names. Each configuration file is tested before it is used.',
  none: {
    title: 'No reverse proxy',
    hint: 'Tenants are reached by their ports. To serve them by host name with certificates, set PROXY to nginx or traefik and restart the manager, for example:',
    example:
      'PROXY=nginx CERTIFICATES=acme ACME_EMAIL=admin@example.org NGINX_CONFIG=/etc/tenantry/nginx.conf npm start',
    more: 'The README section “Host names and certificates” lists all settings. Running services continue. Each tenant gets its site at its next deployment.',
  },
  state: 'Status',
  now: 'Status',
  usable: 'Available',
  unusable: 'Unavailable',
  away: (name: string) => `${name} is unavailable`,
  awayHint: 'Start it on the host. Nothing is lost: sites keep their configuration, and pending changes are marked.',
  warnings: {
    front_proxies_not_trusted: (name: string) =>
      `Traefik’s entry point ${name} ignores the proxies that FRONT_PROXIES names, so sites may redirect to themselves. Start Traefik with:`,
    front_proxies_not_named: (name: string) =>
      `Traefik’s entry point ${name} trusts other addresses than FRONT_PROXIES names. Set this, so that they agree:`,
    underscore_headers_kept: (name: string) =>
      `Traefik’s entry point ${name} passes headers such as X_Forwarded_For, which applications read as X-Forwarded-For. Start Traefik with:`,
  },
  kind: 'Kind',
  version: 'Version',
  sites: 'Sites',
  siteCount: (count: number) => format('{count, plural, one {# site} other {# sites}}', { count }),
  test: 'Test the configuration',
  testing: 'Testing…',
  tested: 'Test of the current configuration',
  valid: 'Passed',
  invalid: 'Failed',
  noOutput: 'The proxy returned no output.',
  reload: 'Reload…',
  reloadTitle: 'Reload the reverse proxy?',
  reloadHint:
    'It reads its configuration again. A configuration that fails its test is not applied. Visitors are not affected.',
  reloadSubmit: 'Reload',
  reloaded: 'The proxy has been reloaded',
  repaired: (slugs: string) => `The proxy has been reloaded; repaired: ${slugs}`,
  repair: (count: number) => format('Repair {count, plural, one {# site} other {# sites}}…', { count }),
  repairTitle: (count: number) => format('Repair {count, plural, one {# site} other {# sites}}?', { count }),
  repairHint:
    'Files that were changed or deleted outside Tenantry are restored, tested and applied. Manual changes in them are lost.',
  repairSubmit: 'Repair',
  lastChange: 'Last change',
  noChange: 'No changes since the manager started.',
  outcomes: { changed: 'Applied', unchanged: 'No change', failed: 'Failed' },
  output: 'Output',
  driftTitle: (count: number) =>
    format('{count, plural, one {# site differs} other {# sites differ}} from the expected configuration', { count }),
  driftHint: 'Their files were changed or deleted outside Tenantry. A repair restores them.',
  driftAsk: 'An administrator can repair them.',
  states: {
    in_sync: 'In sync',
    edited: 'Changed manually',
    missing: 'Missing',
    outdated: 'Out of date',
    orphan: 'Orphaned',
    none: 'Not set up',
  },
  explained: {
    edited: 'The file differs from what the manager wrote.',
    missing: 'The file does not exist, so its names are not served.',
    outdated: 'The tenant’s names or certificates have changed. The manager updates the site automatically.',
    orphan: 'The tenant no longer exists, or this file is a copy. Delete the file manually if you don’t need it.',
  } as Record<string, string>,
  filter: 'Show',
  filters: { all: 'All sites', look: 'Sites with problems' },
  table: 'Sites',
  columns: { site: 'Site', state: 'Status', certificate: 'Certificate', since: 'Applied' },
  noCertificate: 'none (plain HTTP)',
  days: (days: number) =>
    days < 0 ? 'Expired' : format('{days, plural, one {# day left} other {# days left}}', { days }),
  emptyTitle: 'No sites yet',
  emptyHint: 'Each tenant gets its site at its next deployment.',
  nothing: 'No sites have problems.',
  back: 'Reverse proxy',
  siteOf: 'Reverse proxy site',
  file: 'File',
  fileHint: 'As applied. The manager generates this file from the tenant’s settings, so you can’t edit it here.',
  fileWould: 'Not applied yet. This is what would be written.',
  fileNone: 'There is nothing to show before the first deployment.',
  path: 'Path',
  save: 'Save',
  applied: 'Applied',
  certificates: 'Certificates',
  certificateError: 'The last attempt to obtain a certificate failed',
  nextAttempt: 'Next attempt',
  noCertificates: 'None. CERTIFICATES defines where certificates come from.',
  names: 'Names',
  issuer: 'Issuer',
  source: 'Source',
  sources: { acme: 'ACME', files: 'the operator’s files', 'self-signed': 'self-signed' } as Record<string, string>,
  expires: 'Expires',
  left: 'Remaining',
  tenant: 'Tenant',
  /** Why there is no certificate, for `apiText`. */
  certificateProblems: {} as ApiTexts,
};

export const sitesText = translated({ en, es });

/** Why no certificate could be obtained, in the user's language. */
export const certificateProblem = (error: string): string => apiText(sitesText.certificateProblems, plainText(error));
