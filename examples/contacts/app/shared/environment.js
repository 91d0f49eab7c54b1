import { z } from 'zod';

const colour = (fallback) =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .catch(fallback);

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65535).optional(),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z.string().min(1),
  API_KEYS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((key) => key.trim())
        .filter(Boolean),
    ),
  IMPORT_DIR: z.string().default('/tmp/imports'),
  APP_NAME: z.string().default('Contacts'),
  APP_NAME_SHORT: z.string().optional(),
  ADMIN_EMAIL: z.string().default('admin@example.org'),
  ADMIN_PASSWORD: z.string().optional(),
  APP_VERSION: z.string().default('development'),
  APP_COMMIT: z.string().default('unknown'),
  // An invalid colour falls back to the default and never reaches the style sheet: these values may be set manually.
  THEME_PRIMARY_COLOR: colour('#1D4ED8'),
  THEME_SECONDARY_COLOR: colour('#E0E7FF'),
  THEME_ACCENT_COLOR: colour('#D97706'),
  THEME_TEXT_COLOR: colour('#111827'),
  THEME_SIDEBAR_COLOR: colour('#1E293B'),
  THEME_LOGO_FULL: z.string().optional(),
  THEME_LOGO_CROPPED: z.string().optional(),
  THEME_LOGO_ICON: z.string().optional(),
});

/** @typedef {z.output<typeof schema>} Environment */

/**
 * The validated environment; the only place with the names and the defaults.
 * @param {Record<string, string | undefined>} variables
 * @returns {Environment}
 * @throws {Error} naming every invalid entry
 */
export function readEnvironment(variables) {
  const result = schema.safeParse(variables);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment does not fit: ${problems.join('; ')}`);
}
