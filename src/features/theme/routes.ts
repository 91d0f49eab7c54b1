import { toTimestamp } from '../../platform/http/formats.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { tenantTheme } from './schema.ts';
import type { ThemeService } from './service.ts';
import type { ThemeRow } from './store.ts';

const onWire = ({ id, tenantId, fields, createdAt }: ThemeRow) => ({
  id,
  tenant_id: tenantId,
  primary_color: fields.colours.primary,
  secondary_color: fields.colours.secondary,
  accent_color: fields.colours.accent,
  text_color: fields.colours.text,
  sidebar_color: fields.colours.sidebar,
  logo_full: fields.logos.logo_full ?? null,
  logo_cropped: fields.logos.logo_cropped ?? null,
  logo_icon: fields.logos.logo_icon ?? null,
  logo_name: fields.logos.logo_name ?? null,
  ai_generated: fields.aiGenerated,
  source_website: fields.sourceWebsite,
  created_at: toTimestamp(createdAt),
});

export function themeRoutes(themes: ThemeService): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme',
        tag: 'Theme',
        summary: "A tenant's theme",
        access: 'viewer',
        response: { schema: tenantTheme },
        errors: ['not_found'],
      },
      async ({ params }) => onWire(await themes.get(params.id)),
    ),
  ];
}
