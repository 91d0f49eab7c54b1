import { withLocalTimes } from '../../../lib/api-text.ts';
import { format, translated } from '../../../lib/language.ts';
import { es } from './causes.es.ts';
import { causeText } from './messages.ts';

/** Titles and remedies of causes that have parameters, by their codes. */
const en = {
  image_not_found: {
    title: 'The image {image} does not exist at {registry}',
    remedy: 'Correct its name or tag.',
  },
  image_not_allowed: {
    title: 'The image {image} is private, and this tenant may not use the credentials for {registry}',
    remedy: 'An administrator can add the tenant or its repository under System → Image registries.',
  },
  image_own: {
    title: 'The Dockerfile names {image}, an image that Tenantry built',
    remedy: 'Use an image of your own as its base.',
  },
  image_platform_missing: {
    title: 'The image {image} does not exist for this host’s processor ({platform})',
    remedy: 'Use an image that is built for it.',
  },
  registry_sign_in_required: {
    title: 'The image {image} does not exist at {registry}, or it is private',
    remedy: 'Correct its name, or add credentials under System → Image registries.',
  },
  registry_credentials_refused: {
    title: '{registry} refuses the credentials for the image {image}',
    remedy: 'Correct the user name and the password under System → Image registries.',
  },
  registry_rate_limited: {
    title: '{registry} limits how many images are pulled, and refuses {image}; it does not say until when',
    remedy: 'Try again later, or add credentials under System → Image registries.',
  },
  registry_rate_limited_until: {
    title: '{registry} limits how many images are pulled, and refuses {image} until {until} at the latest',
    remedy: 'Try again then, or add credentials under System → Image registries.',
  },
  registry_unresolved: {
    title: 'The engine’s host cannot resolve the name {registry} to pull the image {image}',
    remedy: 'Check the host’s DNS settings.',
  },
  registry_certificate: {
    title: 'The engine does not trust the certificate of {registry}, which has the image {image}',
    remedy: 'Put its authority into /etc/docker/certs.d/{registry}/ca.crt on the engine’s host.',
  },
  registry_plain_http: {
    title: '{registry}, which has the image {image}, does not speak HTTPS',
    remedy: 'Give it a certificate, or add it to insecure-registries in the engine’s daemon.json.',
  },
  machine_overloaded: {
    title:
      'The machine was overloaded: tasks waited for a processor {cpu} %, for the disk {io} % and for memory {memory} % of the time',
    remedy: 'Give the machine more room, or raise start_timeout in tenant.yaml.',
  },
  uncaught_exception: { title: 'The {unit} crashes: {error}', remedy: '' },
  /** Of each code with `restarts`. */
  crash_loop: {
    title:
      'The {unit} crashes: {error}, {restarts, plural, one {# restart} other {# restarts}} in {minutes, number} min',
    remedy: '',
  },
  application_error: { title: 'The {unit} reports an error in its log: {error}', remedy: '' },
  application_unwell: { title: 'The {unit} says that it is not healthy: {reason}', remedy: '' },
  script_line_ends: {
    title: 'The first line of {file} ends with a carriage return (CRLF), so it cannot be run',
    remedy: 'Save it with LF, or add *.sh text eol=lf to .gitattributes, then deploy the fixed version.',
  },
  script_interpreter_missing: {
    title: 'The first line of {file} names {interpreter}, which does not exist',
    remedy: 'Name another interpreter, or install this one, then deploy the fixed version.',
  },
  script_not_executable: {
    title: '{file} is not executable',
    remedy: 'Run git update-index --chmod=+x {file} and commit it, then deploy the fixed version.',
  },
  script_is_directory: {
    title: '{file} is a directory, not a program',
    remedy: 'Correct the start line, then deploy the fixed version.',
  },
  program_wrong_platform: {
    title: '{file} is not built for this host’s processor and system ({platform})',
    remedy: 'Build it for them, then deploy the fixed version.',
  },
  start_failed: {
    title: '{action, select, restart {The last restart failed} other {The last start failed}}: {cause}',
    remedy: 'Correct what it names, then start the services.',
  },
  start_failed_after_change: {
    title:
      '{action, select, restart {The last restart failed} other {The last start failed}}, after a change of the configuration: {cause}',
    remedy: 'Take the change of the configuration back or correct it, then start the services.',
  },
  registry_unreachable: {
    title: 'The engine cannot reach {registry} to pull the image {image}',
    remedy: 'Check the engine host’s network, firewall and proxy settings, then try again.',
  },
};

/** By code. */
export const knownCauses: Readonly<Record<string, { title: string; remedy: string }>> = translated({ en, es });

/** Parameters that are words of the manager. */
const shownAs: Record<string, (value: string, params: Readonly<Record<string, string>>) => string | number> = {
  unit: (value) => causeText(value),
  restarts: Number,
  minutes: Number,
  cause: (value, { cause_code: code = '', restarts: _, ...params }) =>
    (code in knownCauses && knownText({ code, params }, 'title')) || causeText(value),
};

/** A part of a cause in the user's language; undefined: the catalogue does not have it. */
export function knownText(
  { code, params }: { code: string; params?: Readonly<Record<string, string>> | null },
  part: 'title' | 'remedy',
): string | undefined {
  const known = knownCauses[params?.restarts === undefined ? code : 'crash_loop'];
  if (!known?.[part] || !params || Object.keys(params).length === 0) return undefined;
  const shown = Object.entries(params).map(([name, value]) => [
    name,
    shownAs[name]?.(value, params) ?? withLocalTimes(value),
  ]);
  return format(known[part], Object.fromEntries(shown));
}
