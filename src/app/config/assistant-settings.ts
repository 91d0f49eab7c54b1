import type { AssistantAddress } from '../../adapters/assistant/question.ts';
import type { SettingService } from '../../features/settings/service.ts';

/** Whether the settings allow the use of a model. */
export const assistantAddress =
  ({ read }: Pick<SettingService, 'read'>) =>
  async (): Promise<AssistantAddress> => ({
    baseUrl: await read('ai_provider_base_url'),
    apiKey: await read('ai_provider_api_key'),
    model: await read('ai_provider_model'),
    timeoutMs: (await read('ai_provider_timeout')) * 1000,
  });
