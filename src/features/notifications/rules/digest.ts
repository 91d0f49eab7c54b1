import { durationText } from '../../../lib/clock.ts';
import { type Alert, severities } from '../alert.ts';
import type { Message } from '../outbox/outbox.ts';

/** What is left of an alert when it is sent. */
export type SentAlert = Pick<Alert, 'key' | 'severity' | 'title' | 'text' | 'link' | 'tenants' | 'at'>;

/** Lines of one message; an e-mail of a bad night is still readable. */
const maxLines = 50;
const maxTenants = 100;

/** What alerts are about: `incident/<id>` of `incident/<id>/opened`. */
export const subjectOf = (key: string): string => key.split('/', 2).join('/');

/** Whether an alert says that what it is about is over. */
export const isRecovery = (key: string): boolean => key.endsWith('/resolved');

const rank = ({ severity }: Pick<Alert, 'severity'>): number => severities.indexOf(severity);
const byTime = (a: SentAlert, b: SentAlert): number => a.at.getTime() - b.at.getTime();

interface Line {
  /** The last alert about the subject: the others are outdated. */
  alert: SentAlert;
  /** The worst that the subject was. */
  worst: SentAlert;
  title: string;
}

/**
 * One message of several alerts: one line for each thing that they are about, as it is by now, the worst first.
 * @param alerts at least one
 * @param linkTo the absolute address of a path in the dashboard
 */
export function composeDigest(alerts: readonly SentAlert[], linkTo: (path: string) => string): Message {
  const lines = [...Map.groupBy(alerts, ({ key }) => subjectOf(key)).values()]
    .flatMap((about) => lineOf(about) ?? [])
    .sort((a, b) => rank(b.worst) - rank(a.worst) || byTime(a.alert, b.alert));
  const [first] = lines;
  if (!first) throw new Error('A digest needs an alert');
  const tenants = [...new Map(alerts.flatMap((alert) => alert.tenants).map((tenant) => [tenant.id, tenant])).values()];
  const common = {
    severity: first.worst.severity,
    at: first.alert.at,
    tenants: tenants.slice(0, maxTenants).map(({ slug, name }) => ({ slug, name })),
  };
  if (lines.length === 1) {
    const { title, alert } = first;
    return { ...common, title, text: alert.text, url: linkTo(alert.link) };
  }
  const more = lines.length - maxLines;
  return {
    ...common,
    title: `${lines.length} notifications, first: ${first.title}`,
    text: [
      ...lines.slice(0, maxLines).map(({ title, worst }) => `[${worst.severity}] ${title}`),
      ...(more > 0 ? [`and ${more} more: see the inbox`] : []),
    ].join('\n'),
    url: linkTo('/inbox'),
  };
}

function lineOf(about: readonly SentAlert[]): Line | undefined {
  const sorted = about.toSorted(byTime);
  const [opened] = sorted;
  const end = sorted.findLast(({ key }) => isRecovery(key));
  const alert = end ?? sorted.at(-1);
  if (!opened || !alert) return undefined;
  const worst = sorted.reduce((most, one) => (rank(one) > rank(most) ? one : most), alert);
  const title =
    end && opened !== end
      ? `${opened.title}: recovered after ${durationText(end.at.getTime() - opened.at.getTime())}`
      : alert.title;
  return { alert, worst, title };
}
