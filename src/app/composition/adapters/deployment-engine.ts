import { join } from 'node:path';
import type { EventBus } from '../../../adapters/events/bus.ts';
import { isStoreUnavailable } from '../../../adapters/store/translate-error.ts';
import { deploymentMessage, deploymentMessages } from '../../../features/deployments/presentation.ts';
import type { DeploymentStore } from '../../../features/deployments/store.ts';
import type { SettingService } from '../../../features/settings/service.ts';
import { type EngineOptions, OperationEngine } from '../../../lib/operations/engine.ts';

interface Parts extends Pick<EngineOptions, 'clock' | 'logger' | 'locks'> {
  deployments: Pick<DeploymentStore, 'journal'>;
  settings: Pick<SettingService, 'read'>;
  events: EventBus;
  dataDirectory: string;
}

/** Runs what is shown as a tenant's deployments. */
export const createDeploymentEngine = ({ deployments, settings, events, dataDirectory, ...rest }: Parts) =>
  new OperationEngine({
    ...rest,
    journal: deployments.journal,
    messages: deploymentMessages,
    isTransient: isStoreUnavailable,
    directory: join(dataDirectory, 'operations'),
    concurrency: () => settings.read('deployment_concurrency'),
    stepTimeoutMs: async () => (await settings.read('deployment_timeout')) * 1000,
    onChange: (record) => events.publish(deploymentMessage(record)),
  });
