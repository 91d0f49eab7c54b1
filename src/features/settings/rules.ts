import { Cron } from 'croner';

/** An http(s) address with a host, and without credentials, white space or control characters. */
export function isHttpUrl(value: string): boolean {
  // The URL parser drops white space and control characters silently.
  if (/[\s\p{Cc}]/u.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** A cron expression of five fields that names a moment which comes. */
export function isCron(text: string): boolean {
  try {
    return new Cron(text, { paused: true, timezone: 'UTC', mode: '5-part' }).nextRun() !== null;
  } catch {
    return false;
  }
}
