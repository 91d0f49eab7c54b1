import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { CauseCode } from '../schema.ts';
import { type Draft, hasEnded } from './draft.ts';

const onlyLater = new Set<CauseCode>(['certificate_expiring', 'not_deployed']);

/** What follows from a cause, as the checks found it: for visitors first. */
export function consequencesOf({ code }: Draft, facts: Facts): string[] {
  const health = valueIn(facts.health);
  if (code === 'certificate_expiring') return ['Browsers will warn of the site once it has expired.'];
  if (code === 'api_key_refused') return ['Lists cannot be imported, and the application’s figures are missing.'];
  if (code === 'dns_missing' || code === 'dns_elsewhere') return ['Visitors do not reach the site by this name.'];
  if (code.startsWith('certificate_')) return ['Browsers warn of the site, and most visitors leave it.'];
  if (!health || onlyLater.has(code)) return [];
  const { pages, proxy, database } = health;
  const [apiDown, frontendDown] = [down(facts, 'api'), down(facts, 'frontend')];
  const forVisitors =
    frontendDown && apiDown
      ? ['Visitors see an error page.']
      : frontendDown
        ? ['Visitors see an error page instead of the site.']
        : apiDown
          ? ['Pages load, but signing in, searching and saving fail for every visitor.']
          : proxy?.status === 'down'
            ? ['Visitors do not reach the site, though its services answer.']
            : database.status !== 'healthy'
              ? ['Requests that need the database may fail.']
              : [];
  const isRoot = code.startsWith('database_') || code === 'disk_full';
  const ends = isRoot && (hasEnded(facts, 'api') || hasEnded(facts, 'frontend'));
  const engine = code === 'engine_away' ? ['Nothing can be started, stopped or deployed there.'] : [];
  return [...forVisitors, ...(ends ? ['The services end again whenever they are started.'] : []), ...engine];

  function down(facts: Facts, role: 'api' | 'frontend'): boolean {
    return pages[role].status === 'down' || hasEnded(facts, role);
  }
}
