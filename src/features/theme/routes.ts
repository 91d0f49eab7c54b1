import { defineRoute, type Route } from '../../platform/http/route.ts';
import { mediaTypes } from '../../platform/image/image.ts';
import { told } from './apply.ts';
import { contrastWarnings } from './contrast.ts';
import { onWire } from './presentation.ts';
import { createFormReader } from './read-form.ts';
import { tenantTheme, themeChanged, themeForm, themeQuery } from './schema.ts';
import type { ThemeService } from './service.ts';

/** A drawing that is opened by itself runs nothing, loads nothing and is of no origin. */
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";
const year = 31_536_000;

export function themeRoutes(themes: ThemeService): Route[] {
  const readForm = createFormReader();
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
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/theme',
        tag: 'Theme',
        summary: "Change a tenant's theme",
        description:
          'Any of the fields; what is not sent stays. Logos are PNG, JPEG, WebP or SVG by their content, at most 5 MiB ' +
          '(SVG: 512 KiB) and 4,096 pixels wide and high; they are written anew without metadata, SVGs without scripts and outside ' +
          'references. Without an icon of its own a tenant gets one made of the full logo. The services get it ' +
          'at their next start, restart or deployment, or at once with `restart=true`.',
        access: 'operator',
        query: themeQuery,
        body: themeForm,
        bodyType: 'multipart',
        response: { schema: themeChanged },
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
        const { change, notes } = await readForm({ request, response }, onWire(await themes.get(params.id)));
        const { theme, applied } = await themes.change(params.id, change, {
          restart: query.restart,
          actor: principal,
        });
        const warnings = contrastWarnings(theme.fields.colours);
        return { message: told[applied], theme: onWire(theme), applied, warnings, notes };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/theme/assets/{name}',
        tag: 'Theme',
        summary: "A logo of a tenant's theme",
        description: 'At the path the theme shows; the path changes with the content, which may be kept for a year.',
        access: 'viewer',
        queryToken: true,
        response: { mediaType: 'image/*', description: 'The picture: PNG, JPEG, WebP or SVG' },
        errors: ['not_found'],
      },
      async ({ params, response }) => {
        const { content, format } = await themes.asset(params.id, params.name);
        response.set({
          'Content-Type': mediaTypes[format],
          'Content-Security-Policy': contentPolicy,
          'X-Content-Type-Options': 'nosniff',
          'Cache-Control': `private, max-age=${year}, immutable`,
          ETag: `"${params.name}"`,
        });
        response.send(content);
        return undefined;
      },
    ),
  ];
}
