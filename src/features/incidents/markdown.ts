import { durationText } from '../../lib/clock.ts';
import { foreignLine, foreignText } from '../../lib/text/foreign-text.ts';
import type { Cause as DiagnosedCause } from '../diagnosis/diagnosis.ts';
import type { EntryKind } from './incident.ts';
import { lastedSeconds, subjectOf, type WholeIncident } from './schema.ts';

const phrases: Record<EntryKind, string> = {
  opened: 'Opened',
  reopened: 'Returned',
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
/** Text that users or tenants wrote must not become markup. A comment in it keeps sites from making links and mentions of it. */
const plain = (text: string): string =>
  foreignLine(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_[\]<>|#~!]/g, '\\$&')
    .replaceAll(/(@|#|:(?=\/\/)|\bwww(?=\.))/gi, '$1<!-- -->');

/** A diagnosis, below its line of the timeline. */
const linesOf = ({ confidence, evidence, consequences, remedy }: DiagnosedCause): string[] => [
  `  - Confidence: ${confidence}`,
  ...evidence.map(({ fact, source, at }) => `  - ${atMinute(new Date(at))}, ${plain(source)}: ${plain(fact)}`),
  ...consequences.map((consequence) => `  - Effect: ${plain(consequence)}`),
  ...(remedy ? [`  - Remedy: ${plain(remedy.text)}${remedy.link ? ` (${plain(remedy.link)})` : ''}`] : []),
];

/** An incident as a Markdown document, for a report or a ticket. */
export function incidentMarkdown({ incident, members, timeline, announcements }: WholeIncident, now: Date): string {
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
    ...timeline.flatMap(({ at, kind, username, text, diagnosis }) => {
      const by = username ? ` by ${plain(username)}` : '';
      const line = `- ${atMinute(at)}: ${phrases[kind]}${by}`;
      if (kind === 'log')
        return [
          line,
          '',
          ...foreignText(text ?? '')
            .split('\n')
            .map((one) => `      ${one}`),
          '',
        ];
      return [text ? `${line}: ${plain(text)}` : line, ...(diagnosis ? linesOf(diagnosis) : [])];
    }),
    '',
    '## Notifications',
    '',
    ...(announcements.length === 0 ? ['None.'] : []),
    ...announcements.flatMap((receipt) => [
      `- ${atMinute(receipt.at)}: ${plain(subjectOf(receipt))}`,
      ...(receipt.users.length > 0 ? [`  - Inbox: ${receipt.users.map(plain).join(', ')}`] : []),
      ...receipt.deliveries.map(({ channel, to, state, at }) => {
        const receiver = to ? ` to ${plain(to.username ?? 'a former address')}` : '';
        return `  - ${plain(channel)}${receiver}: ${state}, ${atMinute(at)}`;
      }),
    ]),
    '',
  ].join('\n');
}
