import { z } from 'zod';

/**
 * The part of Traefik's dynamic configuration that sites use, by the reference of Traefik 3.7
 * (https://doc.traefik.io/traefik/v3.7/reference/routing-configuration/, pages HTTP routers, services, serversTransport, the
 * middlewares headers, compress and redirectScheme, and TLS certificates; the same keys as in `pkg/config/dynamic` of its
 * source since 3.0). Strict, because Traefik is: an unknown key makes it reject the whole directory.
 */

/** Names of one kind; `@` would mean another provider's. */
const ownName = z.string().regex(/^[^@\s]+$/, 'a name without blanks and @');
/** A reference to a name, possibly of another provider. */
const reference = z.string().regex(/^[^@\s]+(@[^@\s]+)?$/, 'a name, or name@provider');
/** Go's syntax of durations. */
const duration = z.string().regex(/^\d+(ms|s|m|h)$/, 'a duration such as 5s');
const absolutePath = z.string().regex(/^\//, 'an absolute path');
const oneHostRule = z.string().regex(/^Host\(`[a-z0-9.-]{1,253}`\)$/, 'a rule Host(`name`)');

const router = z.strictObject({
  entryPoints: z.array(ownName).min(1),
  rule: oneHostRule,
  middlewares: z.array(reference).optional(),
  service: reference,
  tls: z.strictObject({ certResolver: ownName.optional() }).optional(),
});

const service = z
  .strictObject({
    loadBalancer: z
      .strictObject({
        servers: z.array(z.strictObject({ url: z.url({ protocol: /^https?$/ }) })).min(1),
        passHostHeader: z.boolean().optional(),
        serversTransport: reference.optional(),
        healthCheck: z.strictObject({ path: z.string(), interval: duration, timeout: duration }).optional(),
      })
      .optional(),
    failover: z.strictObject({ service: reference, fallback: reference }).optional(),
  })
  .refine((kinds) => Object.keys(kinds).length === 1, 'a service is of exactly one kind');

const middleware = z
  .strictObject({
    headers: z
      .strictObject({
        customResponseHeaders: z.record(z.string().regex(/^[A-Za-z0-9-]+$/, 'a header’s name'), z.string()).optional(),
        stsSeconds: z.int().min(0).optional(),
      })
      .optional(),
    retry: z.strictObject({ attempts: z.int().min(1) }).optional(),
    compress: z.strictObject({ excludedContentTypes: z.array(z.string()).optional() }).optional(),
    redirectScheme: z
      .strictObject({
        scheme: z.literal('https'),
        permanent: z.boolean().optional(),
        port: z
          .string()
          .regex(/^\d{1,5}$/, 'a port, as text')
          .optional(),
      })
      .optional(),
  })
  .refine((kinds) => Object.keys(kinds).length === 1, 'a middleware is of exactly one kind');

const serversTransport = z.strictObject({
  maxIdleConnsPerHost: z.int().min(-1).optional(),
  forwardingTimeouts: z
    .strictObject({
      dialTimeout: duration.optional(),
      responseHeaderTimeout: duration.optional(),
      idleConnTimeout: duration.optional(),
    })
    .optional(),
});

const certificate = z.strictObject({ certFile: absolutePath, keyFile: absolutePath });

/** A site's file. Traefik rejects even an empty map instead of elements. */
export const dynamicConfig = z.strictObject({
  http: z.strictObject({
    routers: z.record(ownName, router),
    middlewares: z.record(ownName, middleware),
    services: z.record(ownName, service),
    serversTransports: z.record(ownName, serversTransport),
  }),
  tls: z.strictObject({ certificates: z.array(certificate).min(1) }).optional(),
});
export type DynamicConfig = z.infer<typeof dynamicConfig>;

/** The checked part of an operator's own file: names and hosts that could conflict with ours. */
export const foreignConfig = z.looseObject({
  http: z
    .looseObject({
      routers: z.record(z.string(), z.looseObject({ rule: z.string() })).optional(),
      middlewares: z.record(z.string(), z.unknown()).optional(),
      services: z.record(z.string(), z.unknown()).optional(),
      serversTransports: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});
export type ForeignConfig = z.infer<typeof foreignConfig>;
