import { types } from 'node:util';

/** Shown instead of a secret. */
const shown = '••••';
const minLength = 4;
/** Shorter captured values are ids rather than tokens; shorter parts of a base64 text are in too many others. */
const minCapturedLength = 8;
/** From here on a value is secret unless it is words, numbers or an address. */
const minUnnamedLength = 12;

/** Entries of the environment that every visitor may know. */
const publicEntries =
  /^(TENANT_SLUG|APP_NAME|APP_NAME_SHORT|PROJECT_NAME|ADMIN_EMAIL|FRONTEND_URL|BACKEND_API_URL|WS_BASE_URL|LOCAL_EMBED_MODEL|LOCAL_LLM_MODEL|IMPORT_DIR|APP_VERSION|APP_COMMIT|THEME_\w+)$/;
const secretWord =
  /(^|_)(API_?KEYS?|KEYS?|TOKENS?|SECRETS?|PASS|PASSWD|PASSWORDS?|PASSPHRASE|PWD|CREDENTIALS?|AUTH|PRIVATE|SALT|DSN)(_|$)/;
/** A URL with a password. */
const passwordInAddress = /:\/\/[^\s/@:]*:[^\s/@]+@/;
/** Never secret, whatever the name says: a log must stay readable. */
const ordinary =
  /^(\d{1,5}|true|false|yes|none|null|enabled|disabled|trace|debug|info|warn|warning|error|production|development|staging|test)$/i;
/** A part of `nomic-embed-text`, `Europe/Vienna`, `llama3.1:8b`, `https://app.example.org`, `info@example.org`, `1000000`. */
const word = /^(([a-z]{1,20}|[A-Z]{1,20}|[A-Z][a-z]{1,19})\d{0,3}|\d+[a-z]{0,2})?$/;

/** Whether an entry's name or value looks like a secret, for display. */
export const looksSecret = (name: string, value: string): boolean =>
  secretWord.test(name) || passwordInAddress.test(value);

/** Whether text that repeats this value of an environment must be masked. */
function isSecret(name: string, value: string): boolean {
  if (publicEntries.test(name) || ordinary.test(value)) return false;
  if (looksSecret(name, value)) return value.length >= minLength;
  return value.length >= minUnnamedLength && !value.split(/[\s.:@/,;!-]/).every((part) => word.test(part));
}

/**
 * Removes secrets from texts: in the spellings in which programs print them, and requests carry them. Values are added, never
 * removed: what runs may still have former ones.
 */
export class SecretMask {
  /** Spellings by the hash of their first four characters. */
  readonly #forms = new Map<number, Prefixes>();
  readonly #hashes = new Uint8Array(hashes);

  /** @param environment entries by name; of those, the secret ones are masked */
  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.add(environment);
  }

  add(environment: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value = ''] of Object.entries(environment)) {
      if (!isSecret(name, value)) continue;
      this.#add(value);
      const url = passwordInAddress.test(value) ? URL.parse(value) : null;
      const parts = [
        ...(name === 'API_KEYS' ? value.split(',') : []),
        // A key's lines are printed one by one.
        ...value.split(/[\r\n]+/).filter((line) => line.length >= minUnnamedLength && !line.startsWith('-----')),
        ...(url ? [url.password, decoded(url.password)] : []),
      ];
      for (const part of parts) if (part.length >= minLength && !ordinary.test(part)) this.#add(part);
    }
  }

  addCaptured(value: unknown): void {
    if (String(value).length >= minCapturedLength) this.#add(String(value));
  }

  /** The text without the secrets; takes time for its length, not for the number of secrets. */
  apply(text: string): string {
    if (this.#forms.size === 0) return text;
    let masked = '';
    let copied = 0;
    for (let at = 0; at + minLength <= text.length; at += 1) {
      const hash = hashAt(text, at);
      if (this.#hashes[hash] === 0) continue;
      const form = this.#forms.get(hash)?.longestAt(text, at);
      if (form === undefined) continue;
      // One that begins inside another only makes that one longer.
      if (at >= copied) masked += text.slice(copied, at) + shown;
      copied = Math.max(copied, at + form.length);
    }
    return copied === 0 ? text : masked + text.slice(copied);
  }

  /** Masks, in place, all texts of an answer or an error: its message, stack, cause and whatever plain values it carries. */
  applyWithin(whole: unknown, depth = 0): void {
    if (depth > maxDepth || !isPlain(whole)) return;
    for (const name of Object.getOwnPropertyNames(whole)) {
      const value: unknown = Reflect.get(whole, name);
      if (typeof value !== 'string') this.applyWithin(value, depth + 1);
      else if (this.apply(value) !== value) Reflect.set(whole, name, this.apply(value));
    }
  }

  #add(value: string): void {
    for (const form of spellings(value)) {
      const hash = hashAt(form, 0);
      const known = this.#forms.get(hash) ?? new Prefixes();
      known.add(form);
      this.#forms.set(hash, known);
      this.#hashes[hash] = 1;
    }
  }
}

/** Finds which of many texts another one begins with, by binary search: secrets of one kind begin alike. */
class Prefixes {
  /** In the order of their characters' codes: a text comes right after those that it begins with. */
  readonly #sorted: string[] = [];
  #longest = 0;

  add(form: string): void {
    const at = this.#placeOf(form);
    if (this.#sorted[at - 1] === form) return;
    this.#sorted.splice(at, 0, form);
    this.#longest = Math.max(this.#longest, form.length);
  }

  /** The longest one at a place of a text. */
  longestAt(text: string, at: number): string | undefined {
    let piece = text.slice(at, at + this.#longest);
    for (;;) {
      const found = this.#sorted[this.#placeOf(piece) - 1];
      if (found === undefined || piece.startsWith(found)) return found;
      // Any other one at this place is a beginning of both.
      piece = piece.slice(0, commonLength(piece, found));
    }
  }

  /** How many come before the text or are the text. */
  #placeOf(text: string): number {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#sorted[middle] ?? '') <= text) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** A power of two, and few: each tenant has a mask. */
const hashes = 2048;
/** Of errors, their causes and details. */
const maxDepth = 5;

/** Not a socket or a stream that an error refers to. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  (types.isNativeError(value) || Array.isArray(value) || Object.getPrototypeOf(value)?.constructor.name === 'Object');

/** A value as programs print it: raw, in JSON, in HTML, in a path, in a form, and in base64. */
export function spellings(value: string): string[] {
  const inPath = encodeURIComponent(value.toWellFormed());
  const inForm = new URLSearchParams([['', value]]).toString().slice(1);
  const lowerCase = inPath.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
  const inHtml = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = ['&#39;', '&#x27;', '&#039;'].flatMap((quote) => [
    inHtml.replaceAll('"', '&quot;').replaceAll("'", quote),
    inHtml.replaceAll('"', '&#34;').replaceAll("'", quote),
  ]);
  const texts = [
    value,
    inHtml,
    ...quoted,
    JSON.stringify(value).slice(1, -1),
    inPath,
    lowerCase,
    inForm,
    ...base64(value),
  ];
  return [...new Set(texts)];
}

/** Whole, and as a part of a longer text (`user:password`): the characters that depend on the value alone. */
function base64(value: string): string[] {
  const bytes = Buffer.from(value);
  const parts = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return encoded.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
  });
  const texts = [bytes.toString('base64'), ...parts.filter((part) => part.length >= minCapturedLength)];
  return [...texts, ...texts.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

function hashAt(text: string, at: number): number {
  const [one, two] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  const [three, four] = [text.charCodeAt(at + 2), text.charCodeAt(at + 3)];
  return (one ^ (two << 4) ^ (three << 8) ^ (four << 9)) & (hashes - 1);
}

/** Percent-decoded where that is possible. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
