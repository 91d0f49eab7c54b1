import { may, type Role } from '../../../lib/http/routing/roles.ts';
import { searchTerm } from '../../tenants/tenants.ts';
import { type Alert, type AlertEvent, type Severity, severities } from '../alert.ts';
import { endOfQuietHours, type QuietHours } from './quiet-hours.ts';

/** Which alerts; an empty list is no condition. */
interface Selection {
  events: readonly AlertEvent[];
  /** At least. */
  severity: Severity;
  /** Of one of the alert's tenants. */
  tags: readonly string[];
  tenantIds: readonly string[];
}

export interface PlannedRule extends Selection {
  enabled: boolean;
  channelIds: readonly string[];
  userIds: readonly string[];
  /** null: as the setting. */
  digestMinutes: number | null;
  quietHours: QuietHours | null;
}

/** What a user wants to receive. */
export interface NotificationPreferences extends Omit<Selection, 'severity'> {
  /** null: only what rules choose for the user, and what is about the account. */
  severity: Severity | null;
  /** What is sent to the user's own address, too. */
  email: 'none' | 'account' | 'all';
  /** Of the e-mails. */
  quietHours: QuietHours | null;
}

export interface PlannedUser extends NotificationPreferences {
  id: string;
  role: Role;
  /** null: the account has none that could receive anything. */
  address: string | null;
}

export interface Listeners {
  rules: readonly PlannedRule[];
  /** Those who can sign in. */
  users: readonly PlannedUser[];
  /** Those that are in use. Mail to users goes through the first of the kind `email`. */
  channels: readonly { id: string; kind: string }[];
  /** Minutes for which alerts below an error are collected; 0: not at all. */
  digestMinutes: number;
  /** How many messages were sent at once to a target in the last minute. */
  recentlySent(target: string): number;
  /** When messages of a cause were sent to a target in the last hour, or will be. */
  timesOfCause(target: string, cause: string): readonly Date[];
}

export interface PlannedDelivery {
  /** Of the channel, and of the recipient where it is not the channel's own. */
  target: string;
  channelId: string;
  recipient: string | null;
  notBefore: Date;
  /** What is sent as one message; null: this alert alone, at once. */
  digestKey: string | null;
}

export interface Plan {
  /** The users whose inbox gets the alert. */
  inbox: string[];
  deliveries: PlannedDelivery[];
}

/** More messages in a minute to one target are sent as one. */
const maxAtOnce = 5;
/** After the first message of a cause there is one an hour: a backup that fails for all tenants fails for one after the other. */
export const sameCauseMinutes = 60;
const minute = 60_000;

const rank = (severity: Severity): number => severities.indexOf(severity);
export const isAtLeast = (severity: Severity, least: Severity): boolean => rank(severity) >= rank(least);

/** Whether mail can be sent there. The first administrator's address is at this host, until it is changed. */
export const isReachable = (email: string): boolean => !email.endsWith('@localhost');

const personal: readonly AlertEvent[] = ['sign_in', 'credentials'];
const ofTheServer: readonly AlertEvent[] = ['disk', 'node', 'update', 'import'];

/** Whose inbox may show an alert: of those who may view or operate, or only of the user whom it is about. */
export function accessOf({ event, tenants, userId }: Alert): 'view' | 'operate' | 'own' {
  if (userId !== undefined || personal.includes(event)) return 'own';
  if (event === 'report') return 'view';
  return ofTheServer.includes(event) || tenants.length === 0 ? 'operate' : 'view';
}

/**
 * Who receives an alert, by which way and when.
 * @param severity what the conditions compare with: that of the incident for the message that it is over
 */
export function planDeliveries(alert: Alert, listeners: Listeners, now: Date, severity = alert.severity): Plan {
  const { users, channels, recentlySent, timesOfCause } = listeners;
  const mail = channels.find(({ kind }) => kind === 'email');
  // A report is read as a whole: it never becomes a line of a digest.
  const isReport = alert.event === 'report';
  const isCollected = !isReport && !isAtLeast(severity, 'error');
  /** Until when what would be sent at once is collected; undefined: it is not. */
  const heldUntil = (target: string): Date | undefined => {
    if (isReport) return undefined;
    const near = (alert.cause === undefined ? [] : timesOfCause(target, alert.cause)).filter(
      (at) => Math.abs(now.getTime() - at.getTime()) < sameCauseMinutes * minute,
    );
    const waiting = near.find((at) => at > now);
    if (waiting) return waiting;
    if (near.length > 0) return nextBoundary(now, sameCauseMinutes);
    return recentlySent(target) >= maxAtOnce ? nextBoundary(now, 1) : undefined;
  };
  const rules = accessOf(alert) === 'own' ? [] : listeners.rules.filter((rule) => matches(rule, alert, severity));
  const earliest = new Map<string, Date>();
  const planned = new Map<string, { channelId: string; recipient: string | null }>();
  const deliver = (
    channelId: string,
    recipient: string | null,
    digestMinutes: number,
    quiet: QuietHours | null,
  ): void => {
    const target = recipient === null ? channelId : `${channelId}/${recipient}`;
    const isDigest = isCollected && digestMinutes > 0;
    const collectedUntil = isDigest ? nextBoundary(now, digestMinutes) : heldUntil(target);
    const notBefore = afterQuietHours(collectedUntil ?? now, severity, quiet);
    const other = earliest.get(target);
    if (!other || notBefore < other) earliest.set(target, notBefore);
    planned.set(target, { channelId, recipient });
  };

  for (const { channelIds, digestMinutes: own, quietHours } of rules)
    for (const { id } of channels)
      if (channelIds.includes(id)) deliver(id, null, own ?? listeners.digestMinutes, quietHours);

  const receivers = users.filter((user) => receives(user, alert, rules, severity));
  for (const { address, email, quietHours } of receivers) {
    const isOwn = alert.userId !== undefined;
    if (!mail || address === null || email === 'none' || (email === 'account' && !isOwn)) continue;
    if (isOwn) deliver(mail.id, address, 0, null);
    else deliver(mail.id, address, listeners.digestMinutes, quietHours);
  }
  // Whatever the user chose: someone who takes an account over could have chosen it.
  if (mail && alert.formerAddress !== undefined && isReachable(alert.formerAddress))
    deliver(mail.id, alert.formerAddress, 0, null);

  return {
    inbox: receivers.map(({ id }) => id),
    deliveries: [...planned].map(([target, way]) => {
      const notBefore = earliest.get(target) ?? now;
      const digestKey = notBefore > now && !isReport ? `${target}@${notBefore.toISOString()}` : null;
      return { target, ...way, notBefore, digestKey };
    }),
  };
}

function receives(user: PlannedUser, alert: Alert, rules: readonly PlannedRule[], severity: Severity): boolean {
  if (alert.userId !== undefined) return user.id === alert.userId;
  const access = accessOf(alert);
  if (access === 'own' || !may(user.role, access)) return false;
  if (rules.some(({ userIds }) => userIds.includes(user.id))) return true;
  return user.severity !== null && isSelected({ ...user, severity: user.severity }, alert, severity);
}

const matches = (rule: PlannedRule, alert: Alert, severity: Severity): boolean =>
  rule.enabled && isSelected(rule, alert, severity);

function isSelected(
  { events, severity: least, tags, tenantIds }: Selection,
  alert: Alert,
  severity: Severity,
): boolean {
  // A report is no fault: it has no severity to wait for, and goes only where it is asked for.
  const isChosen =
    alert.event === 'report'
      ? events.includes('report')
      : isAtLeast(severity, least) && (events.length === 0 || events.includes(alert.event));
  if (!isChosen || (tenantIds.length > 0 && !alert.tenants.some(({ id }) => tenantIds.includes(id)))) return false;
  const wanted = new Set(tags.map(searchTerm));
  return wanted.size === 0 || alert.tenants.some((tenant) => tenant.tags.some((tag) => wanted.has(searchTerm(tag))));
}

/** What falls into quiet hours waits for their end. */
function afterQuietHours(at: Date, severity: Severity, quiet: QuietHours | null): Date {
  if (!quiet || isAtLeast(severity, quiet.except)) return at;
  return endOfQuietHours(quiet, at) ?? at;
}

/** Windows begin at the same moments for all alerts, so that those of one window share its end. */
function nextBoundary(now: Date, minutes: number): Date {
  const length = minutes * minute;
  return new Date((Math.floor(now.getTime() / length) + 1) * length);
}
