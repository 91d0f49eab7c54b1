import type { z } from 'zod';
import { domainEvents } from '../../adapters/events/messages.ts';
import { deploymentStream } from '../../features/deployments/schema.ts';
import { healthStream } from '../../features/health/schema.ts';
import { importStream } from '../../features/list-imports/schema.ts';
import { preflightStream } from '../../features/preflight/schema.ts';
import { bulkStream } from '../../features/services/bulk/schema.ts';
import { tenantLogStream } from '../../features/services/schema.ts';
import type { StreamKind } from './streams.ts';

/** Every message on a live stream: stream → `type` → schema. The stream adds `seq`. */
export const streamMessages = {
  deployment: deploymentStream,
  health: healthStream,
  tenant_logs: tenantLogStream,
  import: importStream,
  bulk: bulkStream,
  preflight: preflightStream,
  events: domainEvents,
} satisfies Record<StreamKind, Record<string, z.ZodObject>>;
