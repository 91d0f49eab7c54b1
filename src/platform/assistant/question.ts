import type { z } from 'zod';

/** Where a model is asked, by the settings. */
export interface AssistantAddress {
  /** Empty: OpenAI's own. */
  baseUrl: string;
  /** Empty: none is sent as such; local servers need none. */
  apiKey: string;
  model: string;
  /** In ms: what a question may take in all, repetitions included. */
  timeoutMs: number;
}

export interface Question<T> {
  /** What the answer is, in snake_case; shown to the model. */
  name: string;
  /** What to do. Ours alone: nothing that anybody else wrote belongs here. */
  instructions: string;
  /** What it is about. Data, whatever is written in it. */
  data: unknown;
  /** The answer's form. Some providers take plain types only: no limits, no defaults. */
  answer: z.ZodType<T>;
  signal?: AbortSignal | undefined;
}
