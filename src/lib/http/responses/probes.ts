import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { MountOptions } from '../routing/mount.ts';
import { defineRoute, type Route } from '../routing/route.ts';

const onlyWithToken = z.string().optional().meta({ description: 'With a token only' });
const check = z.object({ available: z.boolean(), kind: onlyWithToken, detail: onlyWithToken });
const readiness = z.object({
  status: z.enum(['ready', 'degraded']),
  store: z.enum(['up', 'full']),
  runtime: check,
  proxy: check.optional(),
});

interface Check {
  kind: string;
  available: boolean;
  detail: string;
}

/** Kinds and versions help an attacker: without a token only whether each check passes. */
const anonymously = ({ available }: Check) => ({ available });

/** `/healthz`: the process answers. `/readyz`: it can do its work; an unavailable runtime or proxy is reported, but reading still works. */
export function probeRoutes(deps: {
  /** @throws AppError database_unavailable */
  pingStore(): Promise<'up' | 'full'>;
  /** Where tenants run, and whether it can be used; `detail` is its version, or the reason why not. */
  runtime(): Promise<Check>;
  /** The reverse proxy in front of the tenants, likewise; undefined where there is none. */
  proxy?(): Promise<Check | undefined>;
  authenticate: MountOptions['authenticate'];
  stopping(): boolean;
}): Route[] {
  return [
    defineRoute(
      {
        method: 'get',
        path: '/healthz',
        tag: 'System',
        summary: 'Whether the manager is alive',
        access: 'public',
        responses: { 200: { schema: z.object({ status: z.literal('ok') }) } },
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
          '`degraded`: the runtime is not available, so reading works but nothing can be deployed; or the reverse proxy is not, so that tenants are not reached by their host names; or the disk of the manager’s database is full, so that changes are not saved. With a token the answer also names kinds and versions, or why something is not available.',
        access: 'public',
        responses: { 200: { schema: readiness } },
        errors: ['database_unavailable', 'shutting_down'],
      },
      async ({ request }) => {
        if (deps.stopping()) throw new AppError('shutting_down', 'The manager is stopping');
        const store = await deps.pingStore();
        const [runtime, proxy] = await Promise.all([deps.runtime(), deps.proxy?.()]);
        const able = runtime.available && proxy?.available !== false;
        const authenticated = await deps.authenticate(request, { queryToken: false, ticket: false }).then(
          () => true,
          () => false,
        );
        const shown = authenticated ? (one: Check) => one : anonymously;
        const status = able && store === 'up' ? 'ready' : 'degraded';
        return { status, store, runtime: shown(runtime), ...(proxy ? { proxy: shown(proxy) } : {}) } as const;
      },
    ),
  ];
}
