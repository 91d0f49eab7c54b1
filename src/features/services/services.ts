import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { AppError } from '../../lib/errors.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';
import { deployedRelease, spaceOf, type Tenant } from '../tenants/tenants.ts';
import type { ServicesDeps } from './bring-up.ts';
import { type Control, createControl } from './control.ts';
import { serviceDetails } from './details.ts';
import { createLogStreams } from './log-streams.ts';
import { type LogsRequest, recentLogs } from './recent-logs.ts';
import { serviceRoutes } from './routes.ts';
import { type DetailsAnswer, type ServiceName, serviceNames } from './schema.ts';

export type { ServicesDeps } from './bring-up.ts';

export interface Services extends Control {
  routes: Route[];
  /** The services' states, resource usage, and whether they have the current configuration. @throws AppError not_found, runtime_unavailable */
  details(tenantId: string): Promise<DetailsAnswer>;
  /** The last lines of one service's log, or of both merged by time. @throws AppError not_found, not_deployed if none are kept */
  logs(tenantId: string, request: LogsRequest): Promise<string>;
  /** The live log. @throws AppError not_found, not_deployed, validation_error for an unknown service */
  logStream(tenantId: string, service: string | undefined): Promise<ReplayStream>;
  /** Ends the live logs. */
  close(): void;
}

/** Controls tenants' services and reads their logs. */
export function createServices(deps: ServicesDeps): Services {
  const control = createControl(deps);
  const streams = createLogStreams(deps);
  const forget = deps.events.on('tenant_status', ({ tenant_id, status }) => {
    if (status === 'deleted') streams.end(tenant_id);
  });

  const kept: Pick<Runtime, 'logs'> = {
    async *logs({ tenant, role }, { lines }) {
      for (const { time, node, ...line } of await deps.keptLines(tenant.id, role, lines))
        yield { ...line, time: time === null ? undefined : new Date(time), node: node ?? undefined };
    },
  };

  async function deployed(tenantId: string): Promise<Tenant> {
    const tenant = await deps.tenants.get(tenantId);
    deployedRelease(tenant);
    return tenant;
  }

  const queries = {
    details: async (tenantId: string) => serviceDetails(await deps.tenants.get(tenantId), deps),
    async logs(tenantId: string, request: LogsRequest): Promise<string> {
      const tenant = await deps.tenants.get(tenantId);
      const isDeployed = tenant.deployed !== null;
      const logs = await recentLogs(isDeployed ? deps.runtime : kept, spaceOf(tenant), request);
      // Of a tenant that no deployment has succeeded for, the log of a failed one may be kept.
      if (logs === '' && !isDeployed) deployedRelease(tenant);
      return logs;
    },
    async logStream(tenantId: string, service: string | undefined): Promise<ReplayStream> {
      const tenant = await deployed(tenantId);
      return streams.of(spaceOf(tenant), service === undefined ? undefined : serviceOf(service));
    },
  };

  return {
    ...control,
    ...queries,
    routes: serviceRoutes({ ...control, ...queries }),
    close() {
      forget();
      streams.close();
    },
  };
}

function serviceOf(text: string): ServiceName {
  const service = serviceNames.find((name) => name === text);
  if (service) return service;
  const message = `must be ${serviceNames.join(' or ')}`;
  throw new AppError('validation_error', `service ${message}`, { issues: [{ path: 'service', message }] });
}
