import { z } from 'zod';
import { queryBoolean, timestamp } from '../../lib/http/routing/formats.ts';
import { appliedStates } from './editor/apply.ts';

const colour = z.string().regex(/^#[0-9A-F]{6}$/, 'must have the form #RRGGBB');
const logo = z.string().nullable().meta({ description: 'Asset path of the uploaded logo' });

export const tenantTheme = z
  .object({
    id: z.string(),
    tenant_id: z.string(),
    primary_color: colour,
    secondary_color: colour,
    accent_color: colour,
    text_color: colour,
    sidebar_color: colour,
    logo_full: logo,
    logo_cropped: logo,
    logo_icon: logo,
    logo_name: logo,
    ai_generated: z.boolean(),
    source_website: z.string().nullable(),
    created_at: timestamp,
    changed_at: timestamp.nullable().meta({ description: 'null if it was never changed' }),
  })
  .meta({ id: 'TenantTheme' });

const anyColour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must have the form #RRGGBB')
  .transform((text) => text.toUpperCase());
const givenColour = anyColour.optional();
const givenLogo = z
  .union([z.string().meta({ format: 'binary' }), z.literal('')])
  .optional()
  .meta({ description: 'A PNG, JPEG, WebP or SVG file; an empty text removes the logo' });

const colourFields = {
  primary_color: givenColour,
  secondary_color: givenColour,
  accent_color: givenColour,
  text_color: givenColour,
  sidebar_color: givenColour,
};

/** The form, as it is described. */
export const themeForm = z
  .object({
    ...colourFields,
    logo_full: givenLogo,
    logo_cropped: givenLogo,
    logo_icon: givenLogo,
    logo_name: givenLogo,
  })
  .meta({ id: 'ThemeChange' });

const logoText = z.string().optional();
/** The form's texts. */
export const themeTexts = z.strictObject({
  ...colourFields,
  logo_full: logoText,
  logo_cropped: logoText,
  logo_icon: logoText,
  logo_name: logoText,
});

export const themeQuery = z.object({
  restart: queryBoolean(false).meta({ description: 'Restart the services to apply the theme now' }),
});

/** Colours that are thought of. */
export const contrastQuery = z.object({
  primary_color: anyColour,
  secondary_color: anyColour,
  accent_color: anyColour,
  text_color: anyColour,
  sidebar_color: anyColour,
});

const contrastPair = z
  .object({
    field: z.string(),
    against: colour.meta({ description: 'The colour it is displayed with' }),
    contrast: z.number().meta({ description: 'Ratio, 1 to 21' }),
    required: z.number(),
    passes: z.boolean(),
  })
  .meta({ id: 'ContrastPair' });

const contrastWarning = z
  .object({
    field: z.string(),
    against: colour,
    contrast: z.number().meta({ description: 'Ratio, 1 to 21' }),
    required: z.number(),
    suggestion: colour.meta({ description: 'The nearest colour that passes' }),
    message: z.string(),
  })
  .meta({ id: 'ContrastWarning' });

export const themeChanged = z
  .object({
    message: z.string(),
    theme: tenantTheme,
    applied: z.enum(appliedStates).meta({
      description: '`pending_restart`: the services get it at their next start, restart or deployment',
    }),
    warnings: z.array(contrastWarning).meta({ description: 'Pairs of colours below WCAG 2.2 AA' }),
  })
  .meta({ id: 'ThemeChanged' });

export const contrastAnswer = z
  .object({
    pairs: z
      .array(contrastPair)
      .meta({ description: 'Each of the five colours with the colours it is displayed with' }),
    warnings: z.array(contrastWarning).meta({ description: 'Pairs of colours below WCAG 2.2 AA' }),
  })
  .meta({ id: 'ThemeContrast' });
