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
  /** How often it is asked where the answer is not of that form, is cut off or is not `usable`: once unless said. */
  tries?: number;
  /** Looks at an answer of the right form: whether there is anything in it. */
  usable?(answer: T): boolean;
  /** A picture beside the data (PNG), for models that see. */
  picture?: Uint8Array | undefined;
  /** Told what each asking took, where the provider says. */
  onUsage?(usage: Usage): void;
  signal?: AbortSignal | undefined;
}

/** What one asking took. */
export interface Usage {
  model: string;
  inputTokens: number;
  outputTokens: number;
}
