/** Shown instead of a secret. */
const mask = '••••';
const minLength = 4;
/** Shorter captured values are ids rather than tokens. */
const minCapturedLength = 8;

/** Entries of the environment that every visitor may know. */
const publicEntries =
  /^(TENANT_SLUG|APP_NAME|APP_NAME_SHORT|PROJECT_NAME|FRONTEND_URL|BACKEND_API_URL|WS_BASE_URL|IMPORT_DIR|APP_VERSION|APP_COMMIT|THEME_\w+)$/;

/** Removes secrets from texts that people read: whatever an answer repeats, and in the forms in which a request carries it. */
export class SecretMask {
  readonly #forms = new Set<string>();

  /** @param environment any entry that is not public may be a secret */
  constructor(environment: Readonly<Record<string, string | undefined>>) {
    for (const [name, value = ''] of Object.entries(environment)) {
      if (publicEntries.test(name)) continue;
      this.#add(value, minLength);
      if (name === 'API_KEYS') for (const key of value.split(',')) this.#add(key, minLength);
      if (name === 'DATABASE_URL') this.#add(URL.parse(value)?.password ?? '', minLength);
    }
  }

  addCaptured(value: unknown): void {
    this.#add(String(value), minCapturedLength);
  }

  #add(value: string, atLeast: number): void {
    if (value.length < atLeast) return;
    const inPath = encodeURIComponent(value.toWellFormed());
    const inForm = new URLSearchParams([['', value]]).toString().slice(1);
    const inHeader = Buffer.from(value).toString('base64');
    for (const form of [value, JSON.stringify(value).slice(1, -1), inPath, inForm, inHeader]) this.#forms.add(form);
  }

  apply(text: string): string {
    const longestFirst = [...this.#forms].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((masked, form) => masked.replaceAll(form, mask), text);
  }
}
