import { type ImageProblem, texts as imageTexts } from '../../adapters/runtimes/engine/images/image-problems.ts';
import { type ProbeProblem, probeTexts } from '../../adapters/runtimes/engine/probe-problems.ts';
import { type CauseTexts, type ExplainedError, explain, type FoundCause } from '../../lib/errors.ts';

/** What the checks find besides the problems of engines and images. */
type HostProblem =
  | { code: 'runtime_unavailable'; params: { runtime: string } }
  | { code: 'disk_full'; params: { place: string; free: string; needed: string } }
  | { code: 'host_name_unresolved' | 'host_https_failed'; params: { host: string } }
  | { code: 'clock_wrong'; params: { host: string; difference: string } }
  | { code: 'clock_of_engine' | 'clock_of_store'; params: { difference: string } }
  | { code: DatabaseProblem; params: { server: string } }
  | { code: 'proxy_port_taken'; params: { port: string; holder: string } }
  | { code: 'proxy_unavailable'; params: { proxy: string } }
  | { code: BucketProblem; params: { bucket: string } }
  | { code: 'mail_failed'; params: { channel: string } }
  | { code: 'too_slow'; params: { seconds: string } }
  | { code: 'check_failed'; params: Record<never, string> };
export type DatabaseProblem = 'database_unreachable' | 'database_refused' | 'database_rights' | 'database_failed';
export type BucketProblem = 'bucket_missing' | 'bucket_refused' | 'bucket_unreachable' | 'bucket_failed';

export type PreflightCause = (ImageProblem | ProbeProblem | HostProblem)['code'];

const hostTexts: Record<HostProblem['code'], CauseTexts> = {
  runtime_unavailable: { title: 'The runtime {runtime} does not answer', remedy: 'Start it, or correct its address' },
  disk_full: {
    title: 'Only {free} are free at {place}, and deployments need {needed}',
    remedy: 'Remove what is not needed there, or enlarge the disk',
  },
  host_name_unresolved: {
    title: 'The manager’s host cannot resolve the name {host}',
    remedy: 'Correct the name servers in /etc/resolv.conf',
  },
  host_https_failed: {
    title: 'The manager’s host cannot reach {host}',
    remedy: 'Check its network, and let its firewall pass outgoing HTTPS',
  },
  clock_wrong: {
    title: 'The clock of the manager’s host differs by {difference} from that of {host}',
    remedy: 'Set it by NTP: certificates, tokens and schedules depend on it',
  },
  clock_of_engine: {
    title: 'The clock of the engine’s host differs by {difference} from the manager’s',
    remedy: 'Set both by NTP: certificates, tokens and schedules depend on it',
  },
  clock_of_store: {
    title: 'The clock of the store’s server differs by {difference} from the manager’s',
    remedy: 'Set both by NTP: certificates, tokens and schedules depend on it',
  },
  database_unreachable: {
    title: 'The tenants’ database server {server} does not answer',
    remedy: 'Start it, or correct the address in TENANT_DATABASE_URL',
  },
  database_refused: {
    title: 'The tenants’ database server {server} refuses the account of TENANT_DATABASE_URL',
    remedy: 'Correct the user name and the password there',
  },
  database_rights: {
    title: 'The account of TENANT_DATABASE_URL may not create databases and accounts on {server}',
    remedy: 'Grant it ALL PRIVILEGES on *.* with GRANT OPTION',
  },
  database_failed: {
    title: 'The tenants’ database server {server} did not create a database',
    remedy: 'See its message and its log',
  },
  proxy_port_taken: {
    title: 'Port {port} of the reverse proxy is in use by {holder}',
    remedy: 'Stop it, or choose another port',
  },
  proxy_unavailable: {
    title: 'The reverse proxy {proxy} does not serve the manager’s configuration',
    remedy: 'Start it, or see its message',
  },
  bucket_missing: { title: 'There is no bucket {bucket}', remedy: 'Create it, or correct its name in the settings' },
  bucket_refused: {
    title: 'The access key may not write, read and delete objects in the bucket {bucket}',
    remedy: 'Grant it these rights, or correct the access key and the secret key in the settings',
  },
  bucket_unreachable: {
    title: 'The service of the bucket {bucket} does not answer',
    remedy: 'Correct its address in the settings, and check the host’s network',
  },
  bucket_failed: {
    title: 'An object in the bucket {bucket} could not be written, read and deleted',
    remedy: 'See the message of its service',
  },
  mail_failed: {
    title: 'The mail server of the channel {channel} cannot be used',
    remedy: 'Correct its address, its user name or its password',
  },
  too_slow: { title: 'There was no answer within {seconds} s', remedy: 'Check again when the host has less to do' },
  check_failed: { title: 'The check failed', remedy: 'See its message and the manager’s log' },
};

/** The error of a problem, with the message of `cause` as its detail. */
export const problem = (found: HostProblem & { params: Record<string, string> }, cause?: unknown): ExplainedError =>
  explain(found, hostTexts[found.code], cause);

/** What a client can do about a cause: the closed list. Those with a page of the dashboard lead there. */
export const remedyCodes = [
  'correct_image',
  'set_registry_credentials',
  'wait_for_registry',
  'trust_registry',
  'check_network',
  'check_name_servers',
  'start_runtime',
  'update_engine',
  'update_tenantry',
  'read_engine_log',
  'enlarge_network_pool',
  'open_firewall',
  'set_container_name_servers',
  'free_disk',
  'set_clock',
  'correct_database_account',
  'check_database_server',
  'free_port',
  'check_proxy',
  'correct_bucket_settings',
  'correct_mail_channel',
  'check_again',
] as const;
export type RemedyCode = (typeof remedyCodes)[number];

const remedyOf: Record<PreflightCause, RemedyCode> = {
  image_not_found: 'correct_image',
  image_not_allowed: 'set_registry_credentials',
  image_own: 'correct_image',
  image_platform_missing: 'correct_image',
  image_without_node: 'correct_image',
  registry_sign_in_required: 'set_registry_credentials',
  registry_credentials_refused: 'set_registry_credentials',
  registry_rate_limited: 'wait_for_registry',
  registry_rate_limited_until: 'wait_for_registry',
  registry_unresolved: 'check_name_servers',
  registry_certificate: 'trust_registry',
  registry_plain_http: 'trust_registry',
  registry_unreachable: 'check_network',
  engine_too_old: 'update_engine',
  engine_too_new: 'update_tenantry',
  engine_store_unusable: 'update_engine',
  network_pool_exhausted: 'enlarge_network_pool',
  network_refused: 'enlarge_network_pool',
  build_failed: 'read_engine_log',
  containers_apart: 'open_firewall',
  port_unreachable: 'open_firewall',
  container_name_unresolved: 'set_container_name_servers',
  container_https_failed: 'open_firewall',
  runtime_unavailable: 'start_runtime',
  disk_full: 'free_disk',
  host_name_unresolved: 'check_name_servers',
  host_https_failed: 'check_network',
  clock_wrong: 'set_clock',
  clock_of_engine: 'set_clock',
  clock_of_store: 'set_clock',
  database_unreachable: 'check_database_server',
  database_refused: 'correct_database_account',
  database_rights: 'correct_database_account',
  database_failed: 'check_database_server',
  proxy_port_taken: 'free_port',
  proxy_unavailable: 'check_proxy',
  bucket_missing: 'correct_bucket_settings',
  bucket_refused: 'correct_bucket_settings',
  bucket_unreachable: 'correct_bucket_settings',
  bucket_failed: 'correct_bucket_settings',
  mail_failed: 'correct_mail_channel',
  too_slow: 'check_again',
  check_failed: 'check_again',
};
export const causeCodes = Object.keys(remedyOf) as [PreflightCause, ...PreflightCause[]];

/** A cause and its remedy as they are stored and answered: codes and parameters, each with its sentence in English. */
export function causeAndRemedy({ code, params = {}, title, remedy }: FoundCause) {
  const known = causeCodes.find((one) => one === code) ?? 'check_failed';
  return {
    cause: { code: known, params: { ...params }, title },
    remedy: { code: remedyOf[known], params: { ...params }, text: remedy ?? '' },
  };
}

/** Every text of a cause, to compare catalogues with. */
export const causeTexts: Record<PreflightCause, CauseTexts> = { ...imageTexts, ...probeTexts, ...hostTexts };
