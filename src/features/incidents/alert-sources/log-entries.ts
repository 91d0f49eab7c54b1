import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { AuditLogEntry } from '../../../adapters/events/audit-log-entry.ts';
import { networkOf } from '../../../lib/ip-address.ts';
import type { Alert } from '../../notifications/alert.ts';
import type { SignInPlaces } from './store.ts';

/** An entry of the audit log. */
export interface LogEntry {
  id: string;
  message: string;
  details: Record<string, unknown>;
  createdAt: Date;
}

const text = z.string();
const fleet = z.object({ fleet_id: text, status: z.enum(['halted', 'completed']), reason: text.nullable() });
const loss = z.object({ backup_id: text, lost: text });
const slowBackup = z.object({ backup_id: text, max_hours: z.number() });
const drill = z.object({ backup_id: text, differences: z.array(z.unknown()).min(1) });
const failedCopy = z.object({
  event: z.literal('copy_failed'),
  backup_id: text,
  tries: z.int(),
  is_missing: z.boolean(),
});
const listImport = z.object({ job_id: text, outcome: z.enum(['success', 'failed']), created_by: text });
const user = z.object({ email: text, role: text, disabled: z.boolean() });
const credentials = z.discriminatedUnion('event', [
  z.object({ event: z.literal('password_changed'), user_id: text }),
  z.object({ event: z.literal('token_created'), user_id: text, token_name: text }),
  z.object({ event: z.literal('token_revoked'), subject: text, token_name: text }),
  z.object({
    event: z.literal('user_changed'),
    subject: text,
    username: text,
    new_password: z.boolean().optional(),
    before: user,
    after: user,
  }),
]);
const signIn = z.object({
  event: z.literal('sign_in'),
  user_id: text,
  username: text,
  address: text,
  user_agent: text,
});

/** The fleet upgrade that an entry is about; undefined: none. */
export const fleetOf = ({ details }: LogEntry): string | undefined => fleet.safeParse(details).data?.fleet_id;

/**
 * The alert about an entry of the audit log, except about sign-ins; undefined: none.
 * @param tenants the entry's tenant, or those of its fleet upgrade
 */
export function alertOfEntry(entry: LogEntry, tenants: Alert['tenants']): Alert | undefined {
  const { id, details, message, createdAt: at } = entry;
  const [tenant] = tenants;
  const named = (what: string): string => (tenant ? `${tenant.name}: ${what}` : what);

  const ended = fleet.safeParse(details).data;
  if (ended) {
    const halted = ended.status === 'halted';
    return {
      event: 'fleet',
      severity: halted ? 'error' : 'info',
      key: `fleet/${ended.fleet_id}/${halted ? id : ended.status}`,
      title: halted ? 'Fleet upgrade halted' : 'Fleet upgrade completed',
      text: ended.reason ?? message,
      link: `/upgrades/${ended.fleet_id}`,
      tenants,
      at,
    };
  }
  const damaged = drill.safeParse(details).data;
  if (damaged)
    return {
      event: 'drill',
      severity: 'critical',
      key: `drill/${id}`,
      title: named('Restore drill found differences: the backup is not intact'),
      text: message,
      link: tenant ? `/tenants/${tenant.id}/backups` : '/',
      tenants,
      at,
    };
  const less = loss.safeParse(details).data;
  if (less)
    return {
      event: 'backup',
      severity: 'critical',
      key: `backup/${less.backup_id}/loss`,
      title: named('Backup holds far less than the one before'),
      text: less.lost,
      link: tenant ? `/tenants/${tenant.id}/backups` : '/',
      tenants,
      at,
    };
  const slow = slowBackup.safeParse(details).data;
  if (slow)
    return {
      event: 'backup',
      severity: 'warning',
      key: `backup/${slow.backup_id}/slow`,
      title: named('Backup takes long'),
      text: message,
      link: tenant ? `/tenants/${tenant.id}/backups` : '/',
      tenants,
      at,
    };
  const copy = failedCopy.safeParse(details).data;
  if (copy) return alertOfCopy(copy, entry, tenants);
  const imported = listImport.safeParse(details).data;
  if (imported)
    return {
      event: 'import',
      severity: imported.outcome === 'failed' ? 'error' : 'info',
      key: `import/${imported.job_id}/${id}`,
      title: named(imported.outcome === 'failed' ? 'Import failed' : 'Import finished'),
      text: message,
      link: tenant ? `/tenants/${tenant.id}/lists/${imported.job_id}` : '/',
      tenants,
      at,
    };
  const change = credentials.safeParse(details).data;
  const changed = change && changeText(change);
  if (!change || !changed) return undefined;
  return {
    event: 'credentials',
    severity: 'warning',
    key: `credentials/${id}`,
    title: changed,
    text: `${message}. If you did not expect this, change your password and inform an administrator.`,
    link: change.event.startsWith('token') ? '/account/tokens' : '/account/sessions',
    tenants: [],
    at,
    userId: 'subject' in change ? change.subject : change.user_id,
    ...formerAddressOf(change),
  };
}

/**
 * The alert about a backup that was not copied off-site. The bucket fails for all tenants alike: that is one alert a day, if the second
 * try fails as well.
 */
function alertOfCopy(
  { backup_id: id, tries, is_missing: isMissing }: z.output<typeof failedCopy>,
  { message, createdAt: at }: LogEntry,
  tenants: Alert['tenants'],
): Alert | undefined {
  const common = { event: 'backup', severity: 'error', text: message, at } as const;
  const [tenant] = tenants;
  if (isMissing && tenant) {
    const title = `${tenant.name}: The file of a backup is missing`;
    return { ...common, key: `copy/${id}`, title, link: `/tenants/${tenant.id}/backups/${id}`, tenants };
  }
  if (tries < 2) return undefined;
  const day = at.toISOString().slice(0, 10);
  return {
    ...common,
    key: `copies/${day}`,
    title: 'Backups are not copied off-site',
    link: '/system/settings',
    tenants: [],
  };
}

/** Someone who takes an account over changes its address first: the owner must still learn of it. */
const formerAddressOf = (change: z.output<typeof credentials>): Pick<Alert, 'formerAddress'> =>
  change.event === 'user_changed' && change.before.email !== change.after.email
    ? { formerAddress: change.before.email }
    : {};

function changeText(change: z.output<typeof credentials>): string | undefined {
  switch (change.event) {
    case 'password_changed':
      return 'Your password was changed';
    case 'token_created':
      return `The API token “${change.token_name}” was created for your account`;
    case 'token_revoked':
      return `Your API token “${change.token_name}” was revoked`;
    case 'user_changed': {
      const { before, after } = change;
      const hasNewAddress = before.email !== after.email;
      if (change.new_password)
        return hasNewAddress
          ? `${change.username} set a new password and another e-mail address for your account`
          : `${change.username} set a new password for your account`;
      if (hasNewAddress) return 'The e-mail address of your account was changed';
      if (before.role !== after.role) return `Your role was changed from ${before.role} to ${after.role}`;
      if (before.disabled !== after.disabled)
        return after.disabled ? 'Your account was disabled' : 'Your account was enabled';
      return undefined;
    }
    default:
      return change satisfies never;
  }
}

export interface SignIn {
  userId: string;
  username: string;
  places: SignInPlaces;
  address: string;
  userAgent: string;
}

/** The sign-in that an entry is about, if it is about one. */
export function signInOf({ details }: LogEntry): SignIn | undefined {
  const found = signIn.safeParse(details).data;
  if (!found) return undefined;
  const { user_id: userId, username, address, user_agent: userAgent } = found;
  // Versions change with each update of a browser.
  const program = createHash('sha256')
    .update(userAgent.replaceAll(/[\d._]+/g, ''))
    .digest('hex');
  return { userId, username, address, userAgent, places: { network: networkOfAddress(address), program } };
}

/** Providers give their customers changing addresses of one network: IPv4 by /24, IPv6 by /64. */
function networkOfAddress(address: string): string {
  if (!ipaddr.isValid(address)) return address.slice(0, 128);
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv4 ? parsed.octets.slice(0, 3).join('.') : networkOf(address);
}

type NewPlaces = readonly ('network' | 'program')[];

const placeOf = (isNew: NewPlaces): string => (isNew.includes('network') ? 'another network' : 'another program');

/** The audit entry about a sign-in from a new place. */
export const entryOfNewPlace = ({ userId, username, address, userAgent }: SignIn, isNew: NewPlaces): AuditLogEntry => ({
  level: 'warning',
  category: 'audit',
  topic: 'sign_in',
  message: `${username} signed in from ${placeOf(isNew)}`,
  details: { event: 'new_place', user_id: userId, username, address, user_agent: userAgent },
});

/** The alert about a sign-in from a new place. */
export const alertOfSignIn = (
  { id, createdAt: at }: LogEntry,
  { userId, address, userAgent }: SignIn,
  isNew: NewPlaces,
): Alert => ({
  event: 'sign_in',
  severity: 'warning',
  key: `sign_in/${id}`,
  title: `New sign-in to your account from ${placeOf(isNew)}`,
  text: [
    `Address: ${address}`,
    `Program: ${userAgent || 'unknown'}`,
    'If it was not you, change your password and end all other sessions.',
  ].join('\n'),
  link: '/account/sessions',
  tenants: [],
  at,
  userId,
});
