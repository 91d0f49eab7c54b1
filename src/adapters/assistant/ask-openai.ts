import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { AppError } from '../../lib/errors.ts';
import type { AssistantAddress, Question } from './question.ts';

/**
 * What went wrong, for the user. The provider's own text is omitted, in logs too: some repeat the key.
 * @param timeoutMs the timeout, if it ended the question
 */
function aiError(error: unknown, timeoutMs: number | undefined): AppError {
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

/** Maximum size of an answer, in bytes. */
const maxAnswerBytes = 2 * 1024 ** 2;

/** `fetch` without redirects, which would take the key and the question elsewhere, and with a size limit. */
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'error' });
  let seen = 0;
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen > maxAnswerBytes) controller.error(new Error('The answer is larger than 2 MiB'));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted ?? null, { status, statusText, headers });
}

/** Sent without a configured key: the client requires one. */
const noKey = 'none';

/** Asks, and retries after a retryable answer, within the timeout. @throws AppError ai_error */
export async function askOpenAi<T>(place: AssistantAddress, question: Question<T>): Promise<T> {
  const { baseUrl, apiKey, model, timeoutMs } = place;
  const inTime = AbortSignal.timeout(timeoutMs);
  const signal = question.signal ? AbortSignal.any([inTime, question.signal]) : inTime;
  const client = new OpenAI({
    apiKey: apiKey || noKey,
    baseURL: baseUrl || 'https://api.openai.com/v1',
    // Not from the environment: only the settings count.
    organization: null,
    project: null,
    logLevel: 'off',
    maxRetries: 1,
    timeout: timeoutMs,
    fetch: boundedFetch,
  });
  let asking = askedByForm(question, model);
  const create = () =>
    client.chat.completions.create(asking, { signal }).catch((error: unknown) => {
      if (!asking.response_format || !refusesForm(error)) throw error;
      asking = askedInWords(question, model);
      return client.chat.completions.create(asking, { signal });
    });
  try {
    for (let left = (question.tries ?? 1) - 1; ; left -= 1) {
      const completion = await create();
      reportUsage(completion, question, model);
      const answered = answerOf(completion, question);
      if ('answer' in answered) return answered.answer;
      if (left <= 0) throw new AppError('ai_error', answered.problem);
    }
  } catch (error) {
    question.signal?.throwIfAborted();
    throw aiError(error, inTime.aborted ? timeoutMs : undefined);
  }
}

type Asking = OpenAI.ChatCompletionCreateParamsNonStreaming;

const formOf = <T>(question: Question<T>) => zodResponseFormat(question.answer, question.name);

function askedByForm<T>(question: Question<T>, model: string): Asking {
  const messages: Asking['messages'] = [
    { role: 'system', content: question.instructions },
    { role: 'user', content: contentOf(question) },
  ];
  return { model, messages, response_format: formOf(question) };
}

/** Some compatible servers refuse a request that specifies the answer's schema, and follow one that describes it. */
const refusesForm = (error: unknown): boolean =>
  error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError;

function askedInWords<T>(question: Question<T>, model: string): Asking {
  const schema = JSON.stringify(formOf(question).json_schema.schema);
  const instructions = `${question.instructions}\n\nAnswer with one JSON object and nothing else, of this JSON schema:\n${schema}`;
  return { model, messages: askedByForm({ ...question, instructions }, model).messages };
}

function contentOf({
  data,
  picture,
}: Pick<Question<unknown>, 'data' | 'picture'>): string | OpenAI.ChatCompletionContentPart[] {
  const text = JSON.stringify(data);
  if (!picture) return text;
  const url = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`;
  return [
    { type: 'text', text },
    { type: 'image_url', image_url: { url, detail: 'low' } },
  ];
}

type Completion = Partial<OpenAI.ChatCompletion> | string | null;

/** Local servers may report no counts, or not as numbers. */
function reportUsage<T>(completion: Completion, { onUsage }: Question<T>, model: string): void {
  const usage = typeof completion === 'object' ? completion?.usage : undefined;
  if (typeof usage?.prompt_tokens !== 'number' || typeof usage.completion_tokens !== 'number') return;
  onUsage?.({ model, inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens });
}

/** Compatible servers may not keep what the type promises. */
function answerOf<T>(completion: Completion, question: Question<T>): { answer: T } | { problem: string } {
  const choice = typeof completion === 'object' ? completion?.choices?.[0] : undefined;
  if (choice?.finish_reason === 'length') return { problem: 'The AI provider’s answer was cut off' };
  if (choice?.message?.refusal) return { problem: 'The AI provider refused to answer' };
  const text = choice?.message?.content;
  if (typeof text !== 'string') return { problem: 'The AI provider’s answer is empty or of no known form' };
  const parsed = question.answer.safeParse(jsonIn(text));
  if (!parsed.success) return { problem: 'The AI provider’s answer does not match the requested format' };
  if (question.usable?.(parsed.data) === false) return { problem: 'The AI provider’s answer has no usable content' };
  return { answer: parsed.data };
}

/** Small models add fences or sentences around their answer, and think aloud before it. */
function jsonIn(text: string): unknown {
  const said = text.slice(text.lastIndexOf(endOfThought) + 1);
  try {
    return JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}

const endOfThought = '</think>';
