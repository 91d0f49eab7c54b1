import { randomBytes } from 'node:crypto';
import { CookieJar } from 'tough-cookie';
import { messageOf } from '../../../lib/errors.ts';
import { SecretMask } from '../../../lib/text/secret-mask.ts';
import type { TenantAnswer, TenantRequest } from '../transport.ts';
import { limits, runVariable, type UserCheck, type UserStep } from './definition.ts';
import { assertContent, assertStatus, captureFrom, Unexpected } from './expectations.ts';
import {
  MissingValue,
  mapTexts,
  RenderBudget,
  render,
  renderScalar,
  type Scalar,
  type Values,
} from './placeholders.ts';

/** How a step ended. Contains no secrets. */
export interface StepResult {
  name: string;
  cleanup: boolean;
  status: 'passed' | 'failed' | 'skipped';
  status_code: number | null;
  duration_ms: number;
  /** Why it failed or was skipped. */
  error: string | null;
}

/** How a check ended. */
export interface CheckResult {
  name: string;
  status: 'passed' | 'failed';
  duration_ms: number;
  steps: StepResult[];
}

/** Sends a request to a unit of the tenant, and to nothing else. */
export type SendToUnit = (unit: UserStep['unit'], request: TenantRequest) => Promise<TenantAnswer>;

interface RunOptions {
  send: SendToUnit;
  /** The units' environment; its values appear in requests, never in results. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The units' host names, which cookies belong to. */
  domains: Record<UserStep['unit'], string>;
  /** When the run must have ended, in monotonic ms. */
  deadline: number;
  signal?: AbortSignal | undefined;
}

const maxErrorLength = 300;

/**
 * Runs a check like a user with a new browser: its steps until one fails, then its cleanup, even if the signal aborted.
 * @throws the signal's reason, after the cleanup
 */
export async function runCheck(check: UserCheck, options: RunOptions): Promise<CheckResult> {
  const captured = new Map<string, Scalar>([[runVariable, randomBytes(8).toString('hex')]]);
  const values: Values = { environment: options.environment, captured };
  const mask = new SecretMask(options.environment);
  const jar = new CookieJar(undefined, { looseMode: true, rejectPublicSuffixes: false });
  const began = performance.now();
  const steps: StepResult[] = [];

  let failed = false;
  for (const step of check.steps) {
    if (failed || options.signal?.aborted) steps.push(skipped(step, 'an earlier step failed'));
    else steps.push(await runStep(step, { deadline: options.deadline, signal: options.signal, cleanup: false }));
    failed ||= steps.at(-1)?.status === 'failed';
  }
  const cleanupDeadline = performance.now() + limits.cleanupMs;
  for (const step of check.cleanup) {
    const result = await runStep(step, { deadline: cleanupDeadline, signal: undefined, cleanup: true });
    failed ||= result.status === 'failed';
    steps.push(result);
  }
  options.signal?.throwIfAborted();
  const status = failed ? 'failed' : 'passed';
  return { name: check.name, status, duration_ms: Math.round(performance.now() - began), steps };

  async function runStep(
    step: UserStep,
    { deadline, signal, cleanup }: { deadline: number; signal: AbortSignal | undefined; cleanup: boolean },
  ): Promise<StepResult> {
    const startedAt = performance.now();
    let statusCode: number | null = null;
    const ended = (status: StepResult['status'], error: string | null): StepResult => {
      const duration_ms = Math.round(performance.now() - startedAt);
      return { name: step.name, cleanup, status, status_code: statusCode, duration_ms, error };
    };
    try {
      const timeoutMs = Math.min(step.timeout_s * 1000, deadline - startedAt);
      if (timeoutMs <= 0) throw new Unexpected('the time of the run was used up before this step');
      const request = requestOf(step, values);
      const cookies = await jar.getCookieString(originOf(step) + request.path.slice(1));
      if (cookies !== '') request.headers.cookie = cookies;
      const answer = await options.send(step.unit, { ...request, timeoutMs: Math.ceil(timeoutMs), signal });
      statusCode = answer.statusCode;
      await keepCookies(step, answer);
      assertStatus(answer, step);
      if (answer.cut) throw new Unexpected(`the answer is longer than ${step.max_answer_kb} KB`);
      for (const [name, value] of captureFrom(answer, step)) {
        captured.set(name, value);
        mask.addCaptured(value);
      }
      assertContent(answer, step, values);
      return ended('passed', null);
    } catch (error) {
      // What was never created needs no cleanup.
      if (cleanup && error instanceof MissingValue) return ended('skipped', error.message);
      return ended('failed', cut(mask.apply(messageOf(error).slice(0, maxMasked))));
    }
  }

  function originOf({ unit }: UserStep): string {
    return `https://${options.domains[unit]}/`;
  }

  async function keepCookies(step: UserStep, { headers }: TenantAnswer): Promise<void> {
    for (const cookie of (headers['set-cookie'] ?? []).slice(0, maxCookies)) {
      mask.addCaptured(/^[^=;]*=([^;]*)/.exec(cookie)?.[1] ?? '');
      await jar.setCookie(cookie, originOf(step), { ignoreError: true });
    }
  }
}

/** Of an answer. */
const maxCookies = 50;
/** Of a message, in characters: masking looks for each secret in it. */
const maxMasked = 8_192;

type RequestOfStep = Omit<TenantRequest, 'timeoutMs' | 'signal'> & { headers: Record<string, string> };

/** @throws Unexpected; MissingValue */
function requestOf(step: UserStep, values: Values): RequestOfStep {
  const body = bodyOf(step, values);
  if (body && Buffer.byteLength(body.text) > limits.bodyBytes)
    throw new Unexpected(tooLong('body is', limits.bodyBytes));
  const headersBudget = budgetOf('headers are', limits.headerCharacters);
  const own = Object.entries(step.headers).map(
    ([name, text]) => [name.toLowerCase(), render(text, values, headersBudget)] as const,
  );
  if (own.some(([, value]) => /[^\t\x20-\x7e]/.test(value)))
    throw new Unexpected('a header’s value has characters that headers can’t carry');
  return {
    method: step.method,
    path: render(step.path, values, budgetOf('path is', limits.pathCharacters), encodeURIComponent),
    headers: {
      ...(body ? { 'content-type': body.type } : {}),
      ...Object.fromEntries(own),
    },
    ...(body ? { body: body.text } : {}),
    maxBytes: step.max_answer_kb * 1024,
  };
}

const tooLong = (part: string, characters: number): string =>
  `the request’s ${part} longer than ${characters / 1024} KB`;
const budgetOf = (part: string, characters: number): RenderBudget =>
  new RenderBudget(characters, tooLong(part, characters));

/** Its values before they are encoded have at most as many characters as the body may have bytes. */
function bodyOf({ json, form }: UserStep, values: Values): { type: string; text: string } | undefined {
  const budget = budgetOf('body is', limits.bodyBytes);
  if (json !== undefined) {
    const rendered = mapTexts(json, (text) => renderScalar(text, values, budget));
    return { type: 'application/json', text: JSON.stringify(rendered) };
  }
  if (!form) return undefined;
  const fields = Object.entries(form).map(([name, text]): [string, string] => [name, render(text, values, budget)]);
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() };
}

const skipped = ({ name }: UserStep, error: string): StepResult => ({
  name,
  cleanup: false,
  status: 'skipped',
  status_code: null,
  duration_ms: 0,
  error,
});

const cut = (text: string): string => (text.length > maxErrorLength ? `${text.slice(0, maxErrorLength)}…` : text);
