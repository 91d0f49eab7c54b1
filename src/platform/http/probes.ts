import { z } from 'zod';
import { AppError } from '../../kernel/errors.ts';
import { defineRoute, type Route } from './route.ts';

const readiness = z.object({
  status: z.enum(['ready', 'degraded']),
  store: z.literal('up'),
  runtime: z.object({ kind: z.string(), available: z.boolean(), detail: z.string() }),
  proxy: z.object({ kind: z.string(), available: z.boolean(), detail: z.string() }).optional(),
});

export interface ProbeDeps {
  /** @throws AppError database_unavailable */
  pingStore(): Promise<void>;
  /** Where tenants run, and whether it can be used; `detail` is its version, or the reason why not. */
  runtime(): Promise<z.input<typeof readiness>['runtime']>;
  /** The reverse proxy in front of the tenants, likewise; undefined where there is none. */
  proxy?(): Promise<z.input<typeof readiness>['proxy']>;
  stopping(): boolean;
}

/** `/healthz`: the process answers. `/readyz`: it can do its work; a runtime or a proxy that is gone is told, but reading still works. */
export function probeRoutes(deps: ProbeDeps): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/healthz',
        tag: 'System',
        summary: 'Whether the manager is alive',
        access: 'public',
        response: { schema: z.object({ status: z.literal('ok') }) },
      },
      async () => ({ status: 'ok' as const }),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/readyz',
        tag: 'System',
        summary: 'Whether the manager is ready for work',
        description:
          '`degraded`: the runtime is not available, so reading works but nothing can be deployed; or the reverse proxy is not, so that tenants are not reached by their host names.',
        access: 'public',
        response: { schema: readiness },
        errors: ['database_unavailable', 'shutting_down'],
      },
      async () => {
        if (deps.stopping()) throw new AppError('shutting_down', 'The manager is stopping');
        await deps.pingStore();
        const [runtime, proxy] = await Promise.all([deps.runtime(), deps.proxy?.()]);
        const able = runtime.available && proxy?.available !== false;
        return { status: able ? 'ready' : 'degraded', store: 'up', runtime, ...(proxy ? { proxy } : {}) } as const;
      },
    ),
  ];
}
