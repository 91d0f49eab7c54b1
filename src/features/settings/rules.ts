import { Cron } from 'croner';

/** Whether the value is an http(s) URL without credentials, white space or control characters. */
export function isHttpUrl(value: string): boolean {
  // The URL parser silently removes white space and control characters.
  if (/[\s\p{Cc}]/u.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Whether the text is a cron expression of five fields that has a next run. */
export function isCron(text: string): boolean {
  try {
    return new Cron(text, { paused: true, timezone: 'UTC', mode: '5-part' }).nextRun() !== null;
  } catch {
    return false;
  }
}
