import { mediaTypeOf, type PictureFormat } from '../../../adapters/images/image.ts';
import type { HandlerInput, RouteDefinition } from '../../../lib/http/routing/route.ts';

export const pictureAnswer = { mediaType: 'image/*', description: 'The picture: PNG, JPEG or WebP' } as const;

const contentPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";
const year = 31_536_000;

/** Answers with a picture whose name changes with its content. */
export function sendPicture(
  response: HandlerInput<RouteDefinition>['response'],
  name: string,
  { content, format }: { content: Buffer; format: PictureFormat },
): void {
  response.set({
    'Content-Type': mediaTypeOf(format),
    'Content-Security-Policy': contentPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': `private, max-age=${year}, immutable`,
    ETag: `"${name}"`,
  });
  response.send(content);
}
