import { z } from 'zod';
import { timestamp } from '../../platform/http/formats.ts';

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
  })
  .meta({ id: 'TenantTheme' });
