import type { Destination, Senders } from '../../../adapters/notifications/senders.ts';
import { invalid } from '../../../lib/errors.ts';
import { refuseTarget, webAddress } from '../../../lib/outbound-http/address.ts';
import { OutboundError } from '../../../lib/outbound-http/outbound-error.ts';
import { foreignText } from '../../../lib/text/foreign-text.ts';
import { decoded, spellings } from '../../../lib/text/secret-mask.ts';
import { type ChannelKind, type Config, hiddenMarker, secretFields, webAddressOf } from './kinds.ts';

/** A configuration in two parts: what may be shown, and what is sealed. Empty secrets are left out. */
export function splitConfig(kind: ChannelKind, config: Config) {
  const names = secretFields[kind].secret;
  const entries = Object.entries(config);
  return {
    names,
    open: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
    secret: Object.fromEntries(entries.filter(([name, value]) => names.includes(name) && value !== '')),
  };
}

/**
 * Puts the stored secrets in the place of hidden ones.
 * @throws AppError validation_error where none is stored, or where it belongs to another server
 */
export function completed(
  { kind, config }: { kind: ChannelKind; config: Config },
  stored: { config: Config; secrets: Readonly<Record<string, string>> } | undefined,
): Config {
  const { secret, boundTo } = secretFields[kind];
  const moved = boundTo.find((field) => stored && stored.config[field] !== config[field]);
  const entries = Object.entries(config).map(([field, value]) => {
    if (value !== hiddenMarker || !secret.includes(field)) return [field, value];
    const kept = stored?.secrets[field];
    if (kept === undefined) throw invalid(`config.${field}`, 'There is no stored value to keep: enter a value');
    if (moved) throw invalid(`config.${field}`, `Enter it again: the stored one belongs to the former ${moved}`);
    return [field, kept];
  });
  return Object.fromEntries(entries);
}

/**
 * Refuses what could not be sent to, as far as its text shows.
 * @throws AppError validation_error, without the address
 */
export function checkDestination(destination: Destination, rules: Senders['rules']): void {
  const needsTls = rules.web.addressKind('127.0.0.1') !== undefined;
  const onlyPrivate = 'only with ALLOW_PRIVATE_NOTIFICATIONS=true, in a network of your own';
  const web = webAddressOf(destination);
  if (web) {
    const field = `config.${web.field}`;
    if (needsTls && new URL(web.address).protocol !== 'https:')
      throw invalid(field, `Must be an https address; http ${onlyPrivate}`);
    refuse(field, () => webAddress(web.address, rules.web));
  }
  if (destination.kind === 'email') {
    const { host, port, security } = destination.config;
    if (needsTls && security === 'none')
      throw invalid('config.security', `Must be starttls or tls; none ${onlyPrivate}`);
    refuse('config.host', () => refuseTarget({ host, port }, rules.mail));
  }
}

function refuse(field: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // The others quote the address.
    const reason = error.problem === 'blocked' ? error.message : 'Must be an http or https address';
    throw invalid(field, `${reason}. Private addresses are allowed with ALLOW_PRIVATE_NOTIFICATIONS=true`);
  }
}

/** A service's text without the secrets and the parts of secret addresses, in each spelling: it may repeat what it was sent. */
export function redact(text: string, secrets: Readonly<Record<string, string>>): string {
  const parts = Object.values(secrets).flatMap((secret) => {
    const url = URL.parse(secret);
    const inAddress = url?.protocol.startsWith('http')
      ? [url.pathname + url.search, ...url.pathname.split('/'), ...url.searchParams.values()]
      : [];
    return [secret, secret.replace(/^whsec_/, ''), ...inAddress];
  });
  return parts
    .filter((part) => part.length >= minRedacted)
    .flatMap((part) => [...spellings(part), ...spellings(decoded(part))])
    .sort((one, other) => other.length - one.length)
    .reduce((rest, part) => rest.replaceAll(part, hiddenMarker), foreignText(text));
}

/** Shorter ones would also hide ordinary words. */
const minRedacted = 6;
