import type { App } from '../app/app.ts';
import { until } from './tenants.ts';

interface CheckAnswer {
  check: string;
  status: string;
  detail: string | null;
  cause: { code: string; params: Record<string, string>; title: string } | null;
  remedy: { code: string; params: Record<string, string>; text: string } | null;
  reason: string | null;
}

export interface PreflightAnswer {
  preflight_id: string;
  status: string;
  base_image: string;
  finished_at: string | null;
  checks: CheckAnswer[];
}

/** Checks the host and waits for the end. */
export async function preflightOf(app: App, body: { base_image?: string } = {}): Promise<PreflightAnswer> {
  const { status, body: started } = await app.call<PreflightAnswer>('POST', '/api/system/preflight', { body });
  if (status !== 202) throw new Error(`The check was refused: ${JSON.stringify(started)}`);
  const last = async () =>
    (await app.call<{ preflight: PreflightAnswer }>('GET', '/api/system/preflight')).body.preflight;
  return until(last, ({ finished_at }) => finished_at !== null);
}

/** Of each failed check: why, and what to do. */
export const causesOf = ({ checks }: PreflightAnswer) =>
  checks.flatMap(({ check, cause, remedy }) =>
    cause && remedy ? [{ check, ...omitTitle(cause), remedy: remedy.code }] : [],
  );

/** By the code of the check. */
export const resultsOf = ({ checks }: PreflightAnswer): Record<string, CheckAnswer | undefined> =>
  Object.fromEntries(checks.map((result) => [result.check, result]));

const omitTitle = ({ code, params }: { code: string; params: Record<string, string> }) => ({ code, params });
