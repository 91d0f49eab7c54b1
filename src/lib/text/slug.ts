/** Length of a tenant's slug. A longer maximum also needs a migration of the columns that hold slugs. */
export const slugLength = { min: 2, max: 40 } as const;

/** Lower-case letters, digits and single hyphens inside, after a letter: safe in file, unit, host and database names. */
export const slugPattern = /^[a-z](?:[a-z0-9]|-(?=[a-z0-9]))*$/;

/** Whether a text is safe in place of a slug; the minimum length is not a safety rule. */
export const isSlug = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= slugLength.max && slugPattern.test(text);
