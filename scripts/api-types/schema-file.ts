import { z } from 'zod';
import { streamMessages } from '../../src/app/realtime/stream-messages.ts';
import { permissionsOf } from '../../src/lib/http/routing/roles.ts';
import { slugLength } from '../../src/lib/text/slug.ts';
import { type Description, type Schema, streamTypesOf, typesOf } from './types-of.ts';

/** The content of dashboard/src/api/schema.ts: the types of the API and of the streams, and the constants that both sides share. */
export function schemaFile(description: Description): string {
  const messages = Object.fromEntries(
    Object.entries(streamMessages).map(([stream, schemas]) => [
      stream,
      Object.values(schemas).map((schema: z.ZodObject) => z.toJSONSchema(schema.extend({ seq: z.int() })) as Schema),
    ]),
  );
  return `${typesOf(description)}
${streamTypesOf(messages)}
/** What each role may do. */
export const permissionsOf = ${JSON.stringify(permissionsOf)} as const;

/** Characters of a tenant's slug. */
export const slugLength = ${JSON.stringify(slugLength)} as const;
`;
}
