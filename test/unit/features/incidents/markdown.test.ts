import { expect, test } from '@jest/globals';
import { incidentMarkdown } from '../../../../src/features/incidents/markdown.ts';
import type { WholeIncident } from '../../../../src/features/incidents/schema.ts';

const hostile =
  '~~x~~ ![a](b) @ops team@example.org http://evil.example www.evil.example #12 <b> \u001b]0;pwned\u0007 \u202eabc\u2028# d';

test('text of tenants is no markup, link or mention in an exported incident, and steers no terminal', () => {
  const at = new Date(0);
  const whole = {
    incident: {
      title: hostile,
      detail: hostile,
      status: 'open',
      severity: 'error',
      causeCode: 'application_error',
      scopeKind: 'tenant',
      scopeName: 'acme',
      openedAt: at,
      remedy: null,
      resolvedAt: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
    },
    members: [{ name: hostile, slug: 'acme', joinedAt: at, leftAt: null, leftReason: null }],
    timeline: [
      { at, kind: 'note', username: 'eve', text: hostile, diagnosis: null },
      { at, kind: 'log', username: null, text: `one\r\n\u001b[31m${hostile}`, diagnosis: null },
    ],
    announcements: [],
  } as unknown as WholeIncident;
  const text = incidentMarkdown(whole, at);
  const [, log = ''] = text.split('Last log lines');
  const prose = text.replace(log, '');
  expect(text).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u);
  expect(prose.match(/\\~\\~x\\~\\~ \\!\\\[a\\\]\(b\) /g)).toHaveLength(4);
  expect(prose).not.toMatch(/@\w|http:\/|www\.|#\d|<b>/);
  // Lines of a log are code, which nothing is made of.
  expect(log.split('\n').filter((line) => line !== '' && line.includes('x'))).toEqual([
    expect.stringMatching(/^ {6}~~x~~/),
  ]);
});
