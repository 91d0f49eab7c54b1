import { poll } from '../../../lib/concurrency/poll.ts';
import { findingsOf, type Inspection } from './inspection.ts';
import type { ParsedFile } from './parse-file.ts';
import { elementKinds } from './site-names.ts';
import { complaintOf, type TraefikApi } from './traefik-api.ts';

/** Traefik loads changes after two seconds. */
const takeUpMs = 5_000;

/**
 * The problems of the configuration in service: by our own check of every file, and by Traefik's API, if configured.
 * @throws AppError proxy_unavailable
 */
export async function review(
  inspection: Inspection,
  api: TraefikApi | undefined,
): Promise<{ valid: boolean; output: string }> {
  const answers = api && (await fetchFromTraefik(inspection, api));
  const files = await inspection.files();
  const problems = [...(await findingsOf(files)).map(({ text }) => text), ...(answers?.complaints ?? [])];
  const notes = files.flatMap((file) =>
    file.kind === 'unchecked' ? [`${file.path} is not checked: ${file.reason}`] : [],
  );
  const read = `${files.length} files read`;
  const asked = answers
    ? `Traefik ${answers.version} asked about its routers, services and middlewares`
    : 'Traefik not asked: its API’s address is not configured';
  const valid = problems.length === 0;
  const outcome = valid ? 'nothing wrong' : `${problems.length} found wrong`;
  return { valid, output: [`${read}; ${asked}: ${outcome}`, ...problems, ...notes].join('\n') };
}

async function fetchFromTraefik(
  inspection: Inspection,
  api: TraefikApi,
): Promise<{ version: string; complaints: string[] }> {
  const version = await api.version();
  let complaints: string[] = [];
  await poll(
    async () => {
      // Repeated: files written or removed just now may not be loaded yet.
      const expected = routerNames(await inspection.files());
      const running = new Set<string>();
      complaints = [];
      for (const kind of elementKinds) {
        for (const element of await api.list(kind)) {
          if (kind === 'routers') running.add(element.name);
          const complaint = complaintOf(kind, element);
          if (complaint !== undefined) complaints.push(complaint);
        }
      }
      const missing = expected.filter(({ name }) => !running.has(`${name}@file`));
      for (const { name, path } of missing) complaints.push(`router ${name} of ${path} is unknown to Traefik`);
      return missing.length === 0 ? true : undefined;
    },
    { timeoutMs: takeUpMs, intervalMs: 500 },
  );
  return { version, complaints };
}

const routerNames = (files: readonly ParsedFile[]): { name: string; path: string }[] =>
  files.flatMap((file) =>
    file.kind === 'site' ? Object.keys(file.config.http.routers).map((name) => ({ name, path: file.path })) : [],
  );
