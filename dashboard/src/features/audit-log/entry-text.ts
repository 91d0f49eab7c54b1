import type { ApiTexts } from '../../lib/api-text.ts';
import { incidentsText } from '../incidents/messages.ts';
import { causeText } from '../tenant/diagnosis/messages.ts';
import { healthChange } from '../tenant/overview/messages.ts';
import { auditLogText } from './messages.ts';

/** A message of the audit log in the user's language; of an incident, its cause, too. `more` are further texts it may have. */
export function entryText(message: string, more: ApiTexts = {}): string {
  const [, slug, change] = /^Health of (\S+): (.+)$/s.exec(message) ?? [];
  if (slug !== undefined && change !== undefined) return auditLogText.healthOf(slug, healthChange(change));
  return causeText(message, { ...more, ...incidentsText.api, ...auditLogText.api });
}
