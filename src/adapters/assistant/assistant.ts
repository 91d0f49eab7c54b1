import { AppError } from '../../lib/errors.ts';
import type { AssistantAddress, Question } from './question.ts';

/** A language model. */
export interface Assistant {
  /** Whether it can be asked: `ready`; `none` if not configured; else what is missing, a sentence for the user. */
  state(): Promise<'ready' | 'none' | { missing: string }>;
  /** @throws AppError ai_error with the reason, without the key, if there is no valid answer in time */
  ask<T>(question: Question<T>): Promise<T>;
}

/**
 * A model behind an OpenAI-compatible API, or none. Its client is loaded on first use.
 * @param address read for each question, so that changed settings apply at once
 */
export function createAssistant(address: () => Promise<AssistantAddress>): Assistant {
  return {
    async state() {
      const { baseUrl, apiKey, model } = await address();
      if (baseUrl === '' && apiKey === '') return 'none';
      if (model === '')
        return { missing: 'No model is chosen (the setting ai_provider_model), so the AI provider is not asked.' };
      return 'ready';
    },
    async ask(question) {
      const place = await address();
      if (place.model === '') throw new AppError('ai_error', 'No AI provider is set');
      const { askOpenAi } = await import('./ask-openai.ts');
      return askOpenAi(place, question);
    },
  };
}
