import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { appliedMessages } from './editor/apply.ts';
import { onWire } from './editor/presentation.ts';
import { createFormReader } from './editor/read-form.ts';
import { pictureAnswer, sendPicture } from './editor/send-picture.ts';
import { contrastAnswer, contrastQuery, tenantTheme, themeChanged, themeForm, themeQuery } from './schema.ts';
import type { Themes } from './service.ts';
import type { ThemeEditor } from './theme-editor.ts';

export function themeRoutes(themes: Themes, editor: ThemeEditor): Route[] {
  const readForm = createFormReader();
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme',
        tag: 'Theme',
        summary: "A tenant's theme",
        access: 'view',
        responses: { 200: { schema: tenantTheme } },
        errors: ['not_found'],
      },
      async ({ params }) => onWire(await themes.get(params.id)),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/theme/contrast',
        tag: 'Theme',
        summary: 'Check the contrast of five colours',
        description: 'Returns the `warnings` that a theme with these colours would get; changes nothing.',
        access: 'view',
        query: contrastQuery,
        responses: { 200: { schema: contrastAnswer } },
      },
      async ({ query }) => {
        const { primary_color, secondary_color, accent_color, text_color, sidebar_color } = query;
        const colours = {
          primary: primary_color,
          secondary: secondary_color,
          accent: accent_color,
          text: text_color,
          sidebar: sidebar_color,
        };
        const { contrastPairs, contrastWarnings } = await import('./editor/contrast.ts');
        return { pairs: contrastPairs(colours), warnings: contrastWarnings(colours) };
      },
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/theme',
        tag: 'Theme',
        summary: "Change a tenant's theme",
        description:
          'Any of the fields; omitted fields stay unchanged. Logos are PNG, JPEG, WebP or SVG by their content, at most 5 MiB ' +
          '(SVG: 512 KiB) and 4,096 pixels wide and high; they are re-encoded without metadata, and SVGs are drawn as ' +
          'PNG. Without an icon of its own a tenant gets one made of the full logo. The services get it ' +
          'at their next start, restart or deployment, or at once with `restart=true`.',
        access: 'operate',
        query: themeQuery,
        body: themeForm,
        bodyType: 'multipart',
        responses: { 200: { schema: themeChanged } },
        errors: [
          'not_found',
          'unsupported_file',
          'insufficient_storage',
          'operation_in_progress',
          'not_deployed',
          'tenant_error',
          'runtime_unavailable',
        ],
      },
      async ({ params, query, request, response, principal }) => {
        const change = await readForm({ request, response }, principal.userId, onWire(await themes.get(params.id)));
        const { theme, applied } = await editor.change(params.id, change, {
          restart: query.restart,
          actor: principal,
        });
        const { contrastWarnings } = await import('./editor/contrast.ts');
        const warnings = contrastWarnings(theme.fields.colours);
        return { message: appliedMessages[applied], theme: onWire(theme), applied, warnings };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme/assets/{name}',
        tag: 'Theme',
        summary: "A logo of a tenant's theme",
        description: 'At the path the theme shows; the path changes with the content, which may be kept for a year.',
        access: 'view',
        ticket: true,
        responses: { 200: pictureAnswer },
        errors: ['not_found'],
      },
      async ({ params, response }) => {
        sendPicture(response, params.name, await themes.asset(params.id, params.name));
        return undefined;
      },
    ),
  ];
}
