import { sessionsText } from './messages.ts';

/** The first that matches counts: most browsers also name others. */
const browsers: readonly [mark: string, name: string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const systems: readonly [mark: string, name: string][] = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];

const firstIn = (userAgent: string, names: typeof browsers): string | undefined =>
  names.find(([mark]) => userAgent.includes(mark))?.[1];

/** A name for the program that signed in: `Firefox on Linux`, `curl/8.14`. */
export function programName(userAgent: string): string {
  const browser = firstIn(userAgent, browsers);
  const system = firstIn(userAgent, systems);
  if (browser && system) return sessionsText.on(browser, system);
  return browser ?? (userAgent.split(' ')[0] || sessionsText.unknown);
}
