import { z } from 'zod';
import { foreignLine } from '../../lib/text/foreign-text.ts';
import {
  type Address,
  type CallFailure,
  type CallOptions,
  type TenantAnswer,
  type Transport,
  Unreachable,
} from './transport.ts';

/** Why a page is down, for programs: no answer, an error status, or another answer than the contract's. */
export type PageProblem = CallFailure | 'status' | 'says_unhealthy' | 'answer';

/** The result of requesting one page of a tenant. */
export interface Probe {
  status: 'up' | 'down';
  /** Until the headers; null without an answer. */
  response_time_ms: number | null;
  status_code: number | null;
  /** Why it is down. */
  error?: string;
  problem?: PageProblem;
  /** The beginning of an answer that is an error. */
  body?: string;
  /** Why the application says that it is not healthy. */
  reason?: string;
}

/** A probe of the API's health page, with the application's report. */
export interface HealthProbe extends Probe {
  version?: string;
  commit?: string;
}

const said = z.string().min(1).optional().catch(undefined);
const healthAnswer = z.object({
  status: z.string(),
  reason: said,
  message: said,
  detail: said,
  error: said,
  version: z.string().max(200).optional().catch(undefined),
  commit: z.string().max(200).optional().catch(undefined),
});

/** A probe ignores a page's content; a short one is read completely so that its connection can be reused. */
const pageBytes = 256 * 1024;
const healthBytes = 64 * 1024;

/** Whether a page answers: any 2xx or 3xx. Never throws except the caller's abort reason. */
export async function probePage(
  transport: Transport,
  address: Address,
  path: string,
  options: CallOptions,
): Promise<Probe> {
  return ask(transport, address, path, options, pageBytes, (answer) =>
    answer.statusCode >= 200 && answer.statusCode < 400
      ? up(answer)
      : down(answer, `answered ${answer.statusCode}`, 'status'),
  );
}

/** Whether the API reports to be healthy: 200 and `{"status": "healthy"}`. Never throws except the caller's abort reason. */
export async function probeHealth(
  transport: Transport,
  address: Address,
  path: string,
  options: CallOptions,
): Promise<HealthProbe> {
  return ask(transport, address, path, options, healthBytes, (answer) => {
    const parsed = healthAnswer.safeParse(jsonOf(answer));
    const answered = parsed.success ? parsed.data : undefined;
    const build = {
      ...(answered?.version === undefined ? {} : { version: answered.version }),
      ...(answered?.commit === undefined ? {} : { commit: answered.commit }),
    };
    const sick = answered !== undefined && answered.status !== 'healthy';
    const reason = sick && (answered.reason ?? answered.message ?? answered.detail ?? answered.error);
    const why = reason ? { reason: reason.slice(0, maxBody) } : {};
    if (answer.statusCode !== 200)
      return { ...down(answer, `answered ${answer.statusCode}`, sick ? 'says_unhealthy' : 'status'), ...why, ...build };
    if (!answered) return down(answer, 'the answer is not {"status": "healthy"}', 'answer');
    if (sick) {
      const says = `says it is ${JSON.stringify(foreignLine(answered.status.slice(0, 100)))}`;
      return { ...down(answer, says, 'says_unhealthy'), ...why, ...build };
    }
    return { ...up(answer), ...build };
  });
}

async function ask<Result>(
  transport: Transport,
  address: Address,
  path: string,
  options: CallOptions,
  maxBytes: number,
  judge: (answer: TenantAnswer) => Result,
): Promise<Result | Probe> {
  try {
    return judge(await transport.call(address, { ...options, path, maxBytes }));
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const { statusCode, message, failure } = error;
    return { status: 'down', response_time_ms: null, status_code: statusCode, error: message, problem: failure };
  }
}

const up = (answer: TenantAnswer): Probe => ({
  status: 'up',
  response_time_ms: answer.responseTimeMs,
  status_code: answer.statusCode,
});

const down = (answer: TenantAnswer, error: string, problem: PageProblem): Probe => ({
  status: 'down',
  response_time_ms: answer.responseTimeMs,
  status_code: answer.statusCode,
  error,
  problem,
  ...(answer.body === '' ? {} : { body: answer.body.slice(0, maxBody) }),
});

/** More than is shown: secrets are masked before it is cut to that. */
const maxBody = 8_000;

/** The answer's JSON; undefined if it is invalid or cut off. */
export function jsonOf(answer: TenantAnswer): unknown {
  if (answer.cut) return undefined;
  try {
    return JSON.parse(answer.body);
  } catch {
    return undefined;
  }
}
