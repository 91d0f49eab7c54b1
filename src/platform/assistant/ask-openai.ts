import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { AppError } from '../../kernel/errors.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { AssistantAddress, Question } from './question.ts';
import { aiError } from './translate-error.ts';

/** Sent where no key is set: the client insists on one. */
const noKey = 'none';

/** Asks once, again after an answer that says it may be better then, within the time limit. @throws AppError ai_error */
export async function askOpenAi<T>(place: AssistantAddress, question: Question<T>): Promise<T> {
  const { baseUrl, apiKey, model, timeoutMs } = place;
  const inTime = AbortSignal.timeout(timeoutMs);
  const signal = question.signal ? AbortSignal.any([inTime, question.signal]) : inTime;
  const client = new OpenAI({
    apiKey: apiKey || noKey,
    baseURL: baseUrl || 'https://api.openai.com/v1',
    // Not from the environment: the settings alone count.
    organization: null,
    project: null,
    logLevel: 'off',
    maxRetries: 1,
    timeout: timeoutMs,
    fetch: boundedFetch,
  });
  try {
    const completion = await client.chat.completions.create(
      {
        model,
        messages: [
          { role: 'system', content: question.instructions },
          { role: 'user', content: JSON.stringify(question.data) },
        ],
        response_format: zodResponseFormat(question.answer, question.name),
      },
      { signal },
    );
    return answerOf(completion, question);
  } catch (error) {
    question.signal?.throwIfAborted();
    throw aiError(error, inTime.aborted ? timeoutMs : undefined);
  }
}

/** The type promises more than a server that is merely compatible keeps. */
function answerOf<T>(completion: Partial<OpenAI.ChatCompletion> | string | null, question: Question<T>): T {
  const choice = typeof completion === 'object' ? completion?.choices?.[0] : undefined;
  if (choice?.finish_reason === 'length') throw new AppError('ai_error', 'The AI provider’s answer was cut off');
  if (choice?.message?.refusal) throw new AppError('ai_error', 'The AI provider refused to answer');
  const text = choice?.message?.content;
  if (typeof text !== 'string') throw new AppError('ai_error', 'The AI provider’s answer is empty or of no known form');
  const parsed = question.answer.safeParse(jsonIn(text));
  if (!parsed.success) throw new AppError('ai_error', 'The AI provider’s answer is not of the form that was asked for');
  return parsed.data;
}

/** Small models like to put a fence around what they write. */
function jsonIn(text: string): unknown {
  const bare = text
    .trim()
    .replace(/^```(?:json)?\s*/, '')
    .replace(/\s*```$/, '');
  try {
    return JSON.parse(bare);
  } catch {
    return undefined;
  }
}
