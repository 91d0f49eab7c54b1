import { format, translated } from '../../../lib/language.ts';
import { es } from './causes.es.ts';

/** Causes that a check of the host finds besides the problems with images, by their codes. */
const en = {
  engine_too_old: {
    title: 'Docker Engine {version} speaks no newer API than {api}, which is too old',
    remedy: 'Update it to Docker 20.10 or newer.',
  },
  engine_too_new: {
    title: 'Docker Engine {version} speaks no older API than {api}, which this version of Tenantry does not know',
    remedy: 'Update Tenantry, or set DOCKER_MIN_API_VERSION of the engine.',
  },
  engine_store_unusable: {
    title: 'Docker Engine {version} cannot build images while it keeps them in containerd’s store',
    remedy: 'Update it to Docker 28, or turn containerd-snapshotter off in the features of its daemon.json.',
  },
  network_pool_exhausted: {
    title: 'No free network is left in {pool}',
    remedy: 'Remove tenants, or give the manager a larger DOCKER_NETWORK_POOL.',
  },
  network_refused: {
    title: 'The engine could not create a network',
    remedy: 'See its message, and check whether another program uses addresses of DOCKER_NETWORK_POOL.',
  },
  build_failed: {
    title: 'The engine could not build an image of one line from {image}',
    remedy: 'See its message and the engine’s log.',
  },
  image_without_node: {
    title: 'The image {image} has no Node.js, which tries out the network in a container',
    remedy: 'Check again with an image that has it, such as node:24-bookworm-slim.',
  },
  containers_apart: {
    title: 'Two containers in one network do not reach each other by name',
    remedy: 'Let the host’s firewall pass packets between containers: Docker’s rules must stay in it.',
  },
  port_unreachable: {
    title: 'The manager does not reach the port {port} that a container has published on {address}',
    remedy: 'Let the host’s firewall pass packets to containers: Docker’s rules must stay in it.',
  },
  container_name_unresolved: {
    title: 'Containers cannot resolve the name {host}, and this host can',
    remedy: 'Set "dns" in the engine’s daemon.json to a name server that containers reach, then restart the engine.',
  },
  container_https_failed: {
    title: 'Containers cannot reach {host}, and this host can',
    remedy: 'Let the host’s firewall pass what containers send, and look whether the host forwards packets.',
  },
  runtime_unavailable: {
    title: 'The runtime {runtime} does not answer',
    remedy: 'Start it, or correct its address.',
  },
  disk_full: {
    title: 'Only {free} are free at {place}, and deployments need {needed}',
    remedy: 'Remove what is not needed there, or enlarge the disk.',
  },
  host_name_unresolved: {
    title: 'The manager’s host cannot resolve the name {host}',
    remedy: 'Correct the name servers in /etc/resolv.conf.',
  },
  host_https_failed: {
    title: 'The manager’s host cannot reach {host}',
    remedy: 'Check its network, and let its firewall pass outgoing HTTPS.',
  },
  clock_wrong: {
    title: 'The clock of the manager’s host differs by {difference} from that of {host}',
    remedy: 'Set it by NTP: certificates, tokens and schedules depend on it.',
  },
  clock_of_engine: {
    title: 'The clock of the engine’s host differs by {difference} from the manager’s',
    remedy: 'Set both by NTP: certificates, tokens and schedules depend on it.',
  },
  clock_of_store: {
    title: 'The clock of the store’s server differs by {difference} from the manager’s',
    remedy: 'Set both by NTP: certificates, tokens and schedules depend on it.',
  },
  database_unreachable: {
    title: 'The tenants’ database server {server} does not answer',
    remedy: 'Start it, or correct the address in TENANT_DATABASE_URL.',
  },
  database_refused: {
    title: 'The tenants’ database server {server} refuses the account of TENANT_DATABASE_URL',
    remedy: 'Correct the user name and the password there.',
  },
  database_rights: {
    title: 'The account of TENANT_DATABASE_URL may not create databases and accounts on {server}',
    remedy: 'Grant it ALL PRIVILEGES on *.* with GRANT OPTION.',
  },
  database_failed: {
    title: 'The tenants’ database server {server} did not create a database',
    remedy: 'See its message and its log.',
  },
  proxy_port_taken: {
    title: 'Port {port} of the reverse proxy is in use by {holder}',
    remedy: 'Stop it, or choose another port.',
  },
  proxy_unavailable: {
    title: 'The reverse proxy {proxy} does not serve the manager’s configuration',
    remedy: 'Start it, or see its message.',
  },
  bucket_missing: {
    title: 'There is no bucket {bucket}',
    remedy: 'Create it, or correct its name in the settings.',
  },
  bucket_refused: {
    title: 'The access key may not write, read and delete objects in the bucket {bucket}',
    remedy: 'Grant it these rights, or correct the access key and the secret key in the settings.',
  },
  bucket_unreachable: {
    title: 'The service of the bucket {bucket} does not answer',
    remedy: 'Correct its address in the settings, and check the host’s network.',
  },
  bucket_failed: {
    title: 'An object in the bucket {bucket} could not be written, read and deleted',
    remedy: 'See the message of its service.',
  },
  mail_failed: {
    title: 'The mail server of the channel {channel} cannot be used',
    remedy: 'Correct its address, its user name or its password.',
  },
  too_slow: {
    title: 'There was no answer within {seconds} s',
    remedy: 'Check again when the host has less to do.',
  },
  check_failed: {
    title: 'The check failed',
    remedy: 'See its message and the manager’s log.',
  },
};

/** By code. */
export const preflightCauses: Readonly<Record<string, { title: string; remedy: string }>> = translated({ en, es });

/** A part of a cause in the user's language; undefined: the catalogue does not have it. */
export const preflightCause = (
  { code, params }: { code: string; params: Readonly<Record<string, string>> },
  part: 'title' | 'remedy',
): string | undefined => preflightCauses[code] && format(preflightCauses[code][part], params);
