import OpenAI from 'openai';
import { AppError } from '../../lib/errors.ts';

/**
 * What went wrong, for the user. The provider's own words are left out, of logs too: some repeat the key.
 * @param timeoutMs the time limit, where it ended the question
 */
export function aiError(error: unknown, timeoutMs: number | undefined): AppError {
  if (error instanceof AppError) return error;
  const reason = timeoutMs === undefined ? reasonOf(error) : `did not answer within ${timeoutMs / 1000} seconds`;
  return new AppError('ai_error', `The AI provider ${reason}`);
}

function reasonOf(error: unknown): string {
  if (error instanceof OpenAI.APIConnectionTimeoutError) return 'did not answer in time';
  if (error instanceof OpenAI.APIError && typeof error.status === 'number') return reasonOfStatus(error.status);
  if (error instanceof OpenAI.APIConnectionError) return 'can’t be reached';
  return 'gave an answer that can’t be read';
}

function reasonOfStatus(status: number): string {
  if (status === 401 || status === 403) return `does not accept the key (${status})`;
  if (status === 404) return 'does not know the address or the model (404)';
  if (status === 429) return 'takes no more requests for now, or the account is used up (429)';
  if (status >= 500) return `failed (${status})`;
  return `refused the request (${status})`;
}
