import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { secretMatcher } from '../requests/credential.ts';
import { defineRoute, type Route } from '../routing/route.ts';

interface GaugeDefinition {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Called at every scrape. */
  collect(): Promise<readonly { labels?: Record<string, string>; value: number }[]>;
}

/** The manager's own figures, for Prometheus. */
export interface Metrics {
  /** Measures every request: first among the middleware. */
  measure: RequestHandler;
  /** Adds a gauge of a feature. */
  gauge(definition: GaugeDefinition): void;
  /** `GET /metrics`. */
  routes: Route[];
}

/** @param token opens `/metrics` besides the tokens of users */
export function createMetrics(token?: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'tenantry_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, by route',
    // The route's pattern, never the requested path: the number of labels must stay small.
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    measure(request, response, next) {
      const began = performance.now();
      response.once('close', () => {
        const route: unknown = response.locals.route;
        durations.observe(
          {
            method: request.method,
            route: typeof route === 'string' ? route : 'none',
            status: String(response.statusCode),
          },
          (performance.now() - began) / 1_000,
        );
      });
      next();
    },
    gauge({ name, help, labels = [], collect }) {
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        async collect() {
          const samples = await collect();
          this.reset();
          for (const { labels: of, value } of samples) of ? this.set(of, value) : this.set(value);
        },
      });
    },
    routes: [
      defineRoute(
        {
          method: 'get',
          path: '/metrics',
          tag: 'System',
          summary: 'Figures of the manager for Prometheus',
          description: 'Takes the fixed token `METRICS_TOKEN`, where one is set, besides a token of any role.',
          access: 'view',
          fixedToken: token === undefined ? undefined : secretMatcher(token),
          responses: { 200: { mediaType: 'text/plain', description: 'Prometheus text format' } },
        },
        async ({ response }) => {
          response.set('Content-Type', registry.contentType).send(await registry.metrics());
          return undefined;
        },
      ),
    ],
  };
}
