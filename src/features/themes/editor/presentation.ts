import { toTimestamp, toTimestampOrNull } from '../../../lib/http/routing/formats.ts';
import type { ThemeRow } from '../store.ts';
import { assetPath, type LogoName } from './logos.ts';

/** A theme as the API returns it. */
export function onWire({ id, tenantId, fields, createdAt, changedAt }: ThemeRow) {
  const { colours, logos } = fields;
  const pathOf = (name: LogoName): string | null => {
    const logo = logos[name];
    return logo ? assetPath(tenantId, logo.file) : null;
  };
  return {
    id,
    tenant_id: tenantId,
    primary_color: colours.primary,
    secondary_color: colours.secondary,
    accent_color: colours.accent,
    text_color: colours.text,
    sidebar_color: colours.sidebar,
    logo_full: pathOf('logo_full'),
    logo_cropped: pathOf('logo_cropped'),
    logo_icon: pathOf('logo_icon'),
    logo_name: pathOf('logo_name'),
    ai_generated: fields.aiGenerated,
    source_website: fields.sourceWebsite,
    created_at: toTimestamp(createdAt),
    changed_at: toTimestampOrNull(changedAt),
  };
}
