import type { z } from 'zod';

/** The configured address of a model. */
export interface AssistantAddress {
  /** Empty: OpenAI's own. */
  baseUrl: string;
  /** Empty: a placeholder is sent; local servers need none. */
  apiKey: string;
  model: string;
  /** Total timeout of a question, in ms, retries included. */
  timeoutMs: number;
}

export interface Question<T> {
  /** The answer's name, in snake_case; shown to the model. */
  name: string;
  /** The instructions. Only our own text: no user input belongs here. */
  instructions: string;
  /** The data. Never instructions, whatever it contains. */
  data: unknown;
  /** The answer's schema. Some providers accept plain types only: no limits, no defaults. */
  answer: z.ZodType<T>;
  /** How often it is asked if the answer does not match, is cut off or is not `usable`; default: once. */
  tries?: number;
  /** Whether an answer of the right form is useful. */
  usable?(answer: T): boolean;
  /** A picture in addition to the data (PNG), for models that support it. */
  picture?: Uint8Array | undefined;
  /** Called with the usage of each request, if the provider reports it. */
  onUsage?(usage: Usage): void;
  signal?: AbortSignal | undefined;
}

/** Usage of one request. */
export interface Usage {
  model: string;
  inputTokens: number;
  outputTokens: number;
}
