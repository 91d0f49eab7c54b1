import { z } from 'zod';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { searchTerm } from '../search-text.ts';
import { maxTags, type Tags, tagColors } from './tags.ts';

/** Some contain invisible characters, which join or modify their parts. */
const emoji = /\p{RGI_Emoji}/gv;

const tagName = z
  .string()
  .transform((text) => text.trim().normalize('NFC'))
  .refine((text) => searchTerm(text) !== '' && [...text].length <= 40, 'must have 1 to 40 characters')
  .refine((text) => searchTerm(text).length <= 255, 'must be shorter')
  .refine(
    (text) => !/[\p{C}",\\]/u.test(text.replaceAll(emoji, '')),
    'must not contain commas, quotes, backslashes, control characters or invisible characters',
  );

/** The tags of a tenant. */
export const tagNames = z
  .array(tagName)
  .max(maxTags)
  .refine((names) => new Set(names.map(searchTerm)).size === names.length, 'must contain each tag only once')
  .meta({ description: 'Replaces all tags. A tag differs from another by more than case and accents.' });

const color = z.enum(tagColors);
const tag = z.object({ name: z.string(), color }).meta({ id: 'Tag' });
const tagList = z
  .object({ tags: z.array(z.object({ name: z.string(), color, tenants: z.int() })) })
  .meta({ id: 'TagList' });

export function tagRoutes(tags: Tags, writeAuditLog: WriteAuditLog): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tags',
        tag: 'Tenants',
        summary: 'List the tags of tenants',
        description:
          'In alphabetical order, each with its colour and the number of its tenants. A tag is removed with its colour when its last tenant loses it or is deleted.',
        access: 'view',
        responses: { 200: { schema: tagList } },
      },
      async () => ({ tags: await tags.list() }),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tags/{name}',
        tag: 'Tenants',
        summary: 'Change the colour of a tag',
        access: 'operate',
        body: z.strictObject({ color }).meta({ id: 'TagChanges' }),
        responses: { 200: { schema: tag } },
        errors: ['not_found'],
      },
      async ({ params, body, principal }) => {
        const { before, after } = await tags.setColor(params.name, body.color);
        if (before.color !== after.color)
          await writeAuditLog({
            level: 'info',
            category: 'audit',
            message: `Colour of the tag ${after.name} changed by ${principal.username}`,
            details: {
              user_id: principal.userId,
              username: principal.username,
              tag: after.name,
              before: before.color,
              after: after.color,
            },
          });
        return after;
      },
    ),
  ];
}
