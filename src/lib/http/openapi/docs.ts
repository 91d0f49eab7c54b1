import { Router } from 'express';
import helmet from 'helmet';
import swaggerUi from 'swagger-ui-express';
import { z } from 'zod';
import { defineRoute, type Route } from '../routing/route.ts';
import type { OpenApiDocument } from './openapi.ts';

const options = {
  customSiteTitle: 'Tenantry API',
  swaggerUrl: '/api/openapi.json',
  // The validator badge would send this manager's address to an outside service.
  swaggerOptions: { url: '/api/openapi.json', validatorUrl: null, persistAuthorization: false },
};

/** The API description as JSON and as a page to try it. */
export function docsRoutes(describe: () => OpenApiDocument): Route[] {
  const page = swaggerUi.generateHTML(undefined, options);
  // The page's addresses are relative to its folder, which `/api/docs` without a slash at its end does not name.
  const pageWithoutSlash = page.replaceAll('"./', '"./docs/');
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/openapi.json',
        tag: 'System',
        summary: 'This description (OpenAPI 3.1)',
        access: 'public',
        responses: { 200: { schema: z.record(z.string(), z.unknown()) } },
      },
      async () => ({ ...describe() }),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/docs',
        tag: 'System',
        summary: 'This description as a page',
        access: 'public',
        responses: { 200: { mediaType: 'text/html', description: 'The page; it needs nothing from outside' } },
      },
      async ({ request, response }) => {
        const { pathname } = new URL(request.originalUrl, 'http://localhost');
        response.type('html').send(pathname.endsWith('/') ? page : pageWithoutSlash);
        return undefined;
      },
    ),
  ];
}

/** Swagger UI's own files, under the path of the page, and the content policy that page needs. */
export function docsAssets(): Router {
  const router = Router();
  router.use(
    '/api/docs',
    helmet.contentSecurityPolicy({
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        // Swagger UI styles its elements in place.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    }),
    (request, _response, next) => next(request.path === '/' ? 'router' : undefined),
    ...swaggerUi.serveFiles(undefined, options),
  );
  return router;
}
