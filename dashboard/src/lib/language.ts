import { IntlMessageFormat } from 'intl-messageformat';

/** The languages of all texts, by their own names. */
export const languages = { en: 'English', es: 'Español' } as const;
export type Language = keyof typeof languages;

/** What a user chose; null: as the browser has it. */
export interface Choice {
  language: Language | null;
  timeZone: string | null;
}

/** Where the browser keeps the choice of the account: texts and times are needed before the account can be asked for it. */
const key = 'tenantry.language';

const chosen = keptChoice();

/** What holds without a choice. */
export const browserLanguage = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';

/** What holds without a choice (IANA name). A phone takes a while for the first time. */
export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The language of the page, until it is loaded again. */
export const language = chosen.language ?? browserLanguage;

/** With British dates: 25 Nov 2026, 14:05. */
export const locale = language === 'en' ? 'en-GB' : language;

/** The zone of all times (IANA name), until the page is loaded again. */
export function timeZone(): string {
  zone ??= chosen.timeZone ?? browserTimeZone();
  return zone;
}
let zone: string | undefined;

/** Keeps a choice in this browser. @returns whether it differs from before, so that the page must be loaded again */
export function keepChoice(next: Choice): boolean {
  const before = keptChoice();
  try {
    localStorage.setItem(key, JSON.stringify(next));
  } catch {
    return false; // A browser that keeps nothing shows its own language.
  }
  const { language: kept, timeZone: zone } = keptChoice();
  return before.language !== kept || before.timeZone !== zone;
}

/** Texts in the language of the page. Messages with numbers are functions that call `format`. */
export const translated = <T>(texts: { en: T; es: NoInfer<T> }): T => texts[language];

const messages = new Map<string, IntlMessageFormat>();

/** Fills in an ICU message: `format('{rows, plural, one {# row} other {# rows}}', { rows: 2 })` is "2 rows". */
export function format(message: string, values: Readonly<Record<string, string | number>>): string {
  const parsed = messages.get(message) ?? new IntlMessageFormat(message, locale, undefined, { ignoreTag: true });
  messages.set(message, parsed);
  return String(parsed.format(values));
}

function isLanguage(text: unknown): text is Language {
  return typeof text === 'string' && Object.hasOwn(languages, text);
}

function isTimeZone(text: unknown): text is string {
  try {
    return typeof text === 'string' && new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

function keptChoice(): Choice {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Record<keyof Choice, unknown>>;
    return {
      language: isLanguage(kept.language) ? kept.language : null,
      timeZone: isTimeZone(kept.timeZone) ? kept.timeZone : null,
    };
  } catch {
    return { language: null, timeZone: null };
  }
}
