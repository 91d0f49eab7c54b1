import { durationText } from '../../lib/clock.ts';
import type { EntryKind } from './incident.ts';
import { lastedSeconds, type WholeIncident } from './schema.ts';

const phrases: Record<EntryKind, string> = {
  opened: 'Opened',
  joined: 'Tenant affected',
  recovered: 'Tenant recovered',
  left: 'Tenant no longer affected',
  notified: 'Notified',
  acknowledged: 'Acknowledged',
  note: 'Note',
  diagnosis_changed: 'Diagnosis changed',
  log: 'Last log lines',
  resolved: 'Resolved',
};

const atMinute = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
/** Text that users or tenants wrote must not become markup. */
const plain = (text: string): string => text.replaceAll(/[\\`*_[\]<>|#]/g, '\\$&').replaceAll(/\s+/g, ' ');

/** An incident as a Markdown document, for a report or a ticket. */
export function incidentMarkdown({ incident, members, timeline }: WholeIncident, now: Date): string {
  const { acknowledgedAt, acknowledgedBy, causeCode, detail, openedAt, remedy, resolvedAt, scopeKind, scopeName } =
    incident;
  const facts = [
    ['Status', incident.status],
    ['Severity', incident.severity],
    ['Cause', `${causeCode} (${scopeKind.replaceAll('_', ' ')} ${scopeName})`],
    ...(detail ? [['Found', detail]] : []),
    ...(remedy ? [['Remedy', remedy]] : []),
    ['Opened', atMinute(openedAt)],
    ...(acknowledgedAt ? [['Acknowledged', `${atMinute(acknowledgedAt)} by ${acknowledgedBy}`]] : []),
    ...(resolvedAt ? [['Resolved', atMinute(resolvedAt)]] : []),
    ['Duration', durationText(lastedSeconds(incident, now) * 1_000)],
  ] as [string, string][];
  return [
    `# ${plain(incident.title)}`,
    '',
    ...facts.map(([name, value]) => `- **${name}:** ${plain(value)}`),
    '',
    '## Tenants',
    '',
    ...(members.length === 0 ? ['None.'] : []),
    ...members.map(({ name, slug, joinedAt, leftAt, leftReason }) => {
      const until = leftAt ? ` to ${atMinute(leftAt)} (${leftReason})` : ' until now';
      return `- ${plain(name)} (${slug}): ${atMinute(joinedAt)}${until}`;
    }),
    '',
    '## Timeline',
    '',
    ...timeline.flatMap(({ at, kind, username, text }) => {
      const by = username ? ` by ${plain(username)}` : '';
      const line = `- ${atMinute(at)}: ${phrases[kind]}${by}`;
      if (kind === 'log') return [line, '', ...(text ?? '').split(/\r\n|[\r\n]/).map((one) => `      ${one}`), ''];
      return [text ? `${line}: ${plain(text)}` : line];
    }),
    '',
  ].join('\n');
}
