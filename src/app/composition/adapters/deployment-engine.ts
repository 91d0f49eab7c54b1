import { join } from 'node:path';
import type { EventBus } from '../../../adapters/events/bus.ts';
import { isStoreUnavailable } from '../../../adapters/store/translate-error.ts';
import { deploymentMessage, deploymentMessages } from '../../../features/deployments/presentation.ts';
import type { DeploymentStore } from '../../../features/deployments/store.ts';
import type { Settings } from '../../../features/settings/settings.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import { OperationEngine } from '../../../lib/operations/engine.ts';
import type { OperationJournal } from '../../../lib/operations/operation.ts';
import type { SubjectLocks } from '../../../lib/operations/subject-locks.ts';

export interface JournalOptions {
  /** Wraps the journal of deployments, to inject faults (tests). */
  wrapJournal?: ((journal: OperationJournal) => OperationJournal) | undefined;
}

/** Runs what is shown as a tenant's deployments. */
export const createDeploymentEngine = ({
  deployments: { journal },
  wrapJournal,
  settings,
  events,
  clock,
  logger,
  locks,
  dataDirectory,
}: {
  deployments: Pick<DeploymentStore, 'journal'>;
  settings: Pick<Settings, 'read'>;
  events: EventBus;
  clock: Clock;
  logger: Logger;
  locks: SubjectLocks;
  dataDirectory: string;
} & JournalOptions) =>
  new OperationEngine({
    clock,
    logger,
    locks,
    journal: wrapJournal?.(journal) ?? journal,
    messages: deploymentMessages,
    isTransient: isStoreUnavailable,
    directory: join(dataDirectory, 'operations'),
    concurrency: () => settings.read('deployment_concurrency'),
    stepTimeoutMs: async () => (await settings.read('deployment_timeout')) * 1000,
    onChange: (record) => events.publish(deploymentMessage(record)),
  });
