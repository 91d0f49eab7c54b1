import { join } from 'node:path';
import { mapConcurrently } from '../../../../lib/concurrency/map-concurrently.ts';
import { AppError, messageOf } from '../../../../lib/errors.ts';
import type { Logger } from '../../../../lib/logger.ts';
import type { CertificateFiles } from '../../certificate-files.ts';
import type { SiteFiles } from '../../site-files.ts';
import { sitePath, storageError } from '../../site-files.ts';
import { type Expectation, expectationOfFile } from '../../site-header.ts';
import { pickCanarySites } from '../config/canary-sites.ts';
import { testCandidate } from '../config/candidate.ts';
import type { CommonFiles } from '../config/common-files.ts';
import { type MainConfig, readMainConfig } from '../config/main-config.ts';
import type { NginxProgram } from '../nginx-program.ts';
import { complaints, conflictingNames } from '../nginx-program.ts';
import type { Layout } from '../options.ts';
import { nginxConcurrency } from '../options.ts';
import { watchErrorLog } from '../verify/error-log.ts';
import type { Proof } from '../verify/proof.ts';
import { type Change, domainsOf, expectationOf } from './change.ts';

/** What a batch works with. */
interface Nginx {
  layout: Layout;
  program: NginxProgram;
  files: SiteFiles;
  common: CommonFiles;
  certificates: CertificateFiles;
  proof: Proof;
  /** The current timeout of a reload. */
  proofTimeoutMs(): number;
  logger: Logger;
}

/** A change that is not in service yet, with the site's current file. */
interface Pending {
  change: Change;
  before: string | undefined;
}

/** Why nginx rejects changes of the candidate, for those that it names. */
function refusals(
  layout: Layout,
  changes: readonly Change[],
  answer: { valid: boolean; output: string },
): Map<Change, string> {
  const refused = new Map<Change, string>();
  if (!answer.valid) {
    const words = complaints(answer.output);
    for (const change of changes) if (isNamed(layout, change, words)) refused.set(change, refusal(words));
  }
  // Only a warning to nginx, which would then serve one of the two for both: the first change keeps the name.
  for (const { domain, line } of conflictingNames(answer.output)) {
    const wanting = changes.filter((change) => domainsOf(change).includes(domain));
    for (const change of wanting.length > 1 ? wanting.slice(1) : wanting) {
      if (!refused.has(change)) refused.set(change, refusal(line));
    }
  }
  return refused;
}

/** nginx names the file it reads, but for a bad certificate only the certificate's path. */
const isNamed = (layout: Layout, { slug, text }: Change, words: string): boolean =>
  text !== null &&
  (words.includes(`${sitePath(layout, slug)}:`) || words.includes(join(layout.certificates, slug, '/')));

/**
 * Restores the former files, reloads, checks that the former sites are served again, and rejects the changes.
 * @param reasonOf why a change failed; also reports when nginx cannot even be reloaded
 */
async function rollBack(
  tools: Nginx,
  pending: readonly Pending[],
  reasonOf: (change: Change) => unknown,
): Promise<void> {
  if (pending.length === 0) return;
  const { files, program, proof, logger } = tools;
  const notRestored = new Map<Change, string>();
  for (const { change } of pending) {
    await files.restore(change.slug).catch((error: unknown) => notRestored.set(change, messageOf(error)));
  }
  let unavailable: unknown;
  try {
    await program.reload();
    const former = pending.flatMap(({ before }) => expectationOfFile(before) ?? []);
    const unserved = await proof.prove(former, tools.proofTimeoutMs());
    for (const [slug, reason] of unserved) logger.error({ slug, reason }, 'a restored site is not served');
  } catch (error) {
    unavailable = error;
  }
  for (const { change } of pending) {
    const reason = reasonOf(change);
    const kept = notRestored.get(change);
    const text = messageOf(reason) + (kept === undefined ? '' : `\nThe former file could not be restored: ${kept}`);
    if (unavailable === undefined && kept === undefined) change.reject(reason);
    else if (unavailable === undefined) change.reject(new Error(text));
    else change.reject(new AppError('proxy_unavailable', withWords(text, messageOf(unavailable))));
  }
}

const withWords = (text: string, words: string): string => (text.includes(words) ? text : `${text}\n${words}`);

/**
 * Brings all changes into service with one test, one reload and one proof. Bad changes are rejected individually. Settles every
 * change; never rejects.
 */
export async function runBatch(tools: Nginx, batch: readonly Change[]): Promise<void> {
  try {
    const needed = await withoutGone(tools, batch);
    if (needed.length === 0) return;
    const main = await readMainConfig(tools.layout);
    const common = await tools.common.ensure(main);
    const pending = await putInPlace(
      tools,
      await accepted(tools, main, await changesToMake(tools, needed, common.written)),
    );
    if (pending.length > 0) await takeUp(tools, main, pending);
  } catch (error) {
    for (const change of batch) change.reject(storageError(error, 'The configuration'));
  }
}

/** All but removals of missing sites, which end here: they need no nginx with a valid configuration. */
async function withoutGone({ files, certificates }: Nginx, batch: readonly Change[]): Promise<Change[]> {
  const gone = new Set<Change>();
  await mapConcurrently(batch, nginxConcurrency, async (change) => {
    if (change.site !== null || (await files.read(change.slug)) !== undefined) return;
    if ((await files.readFormer(change.slug)) !== undefined) return;
    await certificates.removeAll(change.slug);
    gone.add(change);
    change.resolve(false);
  });
  return batch.filter((change) => !gone.has(change));
}

/** All but those in service already, which end here. */
async function changesToMake(tools: Nginx, batch: readonly Change[], mustReload: boolean): Promise<Pending[]> {
  const pending: Pending[] = [];
  await mapConcurrently(batch, nginxConcurrency, async (change) => {
    const before = await tools.files.read(change.slug);
    const former = await tools.files.readFormer(change.slug);
    if (change.site !== null && before === change.text && !mustReload && (await isServed(tools, change))) {
      change.log('nginx serves it already as configured');
      await conclude(tools, change, false);
    } else {
      pending.push({ change, before: before ?? former });
    }
  });
  // In order: of two that want the same name the first one gets it.
  return pending.sort((a, b) => batch.indexOf(a.change) - batch.indexOf(b.change));
}

async function isServed({ proof }: Nginx, change: Change): Promise<boolean> {
  const expectation = expectationOf(change, undefined);
  return expectation !== undefined && (await proof.mismatch(expectation)) === undefined;
}

/** Those that nginx accepts, tested together in their final form; the others are rejected in its own words. */
async function accepted(tools: Nginx, main: MainConfig, pending: readonly Pending[]): Promise<Pending[]> {
  let left = stillWanted(pending);
  while (left.length > 0) {
    const changes = left.map(({ change }) => change);
    const answer = await testCandidate(tools.layout, tools.program, main, changes);
    const named = refusals(tools.layout, changes, answer);
    const refused = answer.valid || named.size > 0 ? named : await unnamedRefusals(tools, main, changes, answer.output);
    for (const [change, reason] of refused) change.reject(new Error(reason));
    const next = stillWanted(left.filter(({ change }) => !refused.has(change)));
    if (next.length === left.length) {
      for (const change of changes) change.log('nginx accepts the configuration (nginx -t of the candidate)');
      return next;
    }
    left = next;
  }
  return [];
}

/** If nginx names none of them: it was broken before, or each is refused that breaks those before it. */
async function unnamedRefusals(
  { layout, program }: Nginx,
  main: MainConfig,
  changes: readonly Change[],
  output: string,
): Promise<Map<Change, string>> {
  const allFor = (reason: string) => new Map(changes.map((change) => [change, reason]));
  const inService = await program.test();
  if (!inService.valid)
    return allFor(
      `nginx’s configuration was broken before this change, nothing was changed: ${complaints(inService.output)}`,
    );
  const refused = new Map<Change, string>();
  const good: Change[] = [];
  for (const change of changes.length > 1 ? changes : []) {
    const answer = await testCandidate(layout, program, main, [...good, change]);
    if (answer.valid) good.push(change);
    else refused.set(change, refusal(complaints(answer.output)));
  }
  return refused.size > 0 ? refused : allFor(refusal(complaints(output)));
}

const refusal = (words: string): string => `nginx refused the configuration, nothing was changed: ${words}`;

/** Cancelled changes end here; from the swap on a change is completed. */
function stillWanted(pending: readonly Pending[]): Pending[] {
  return pending.filter(({ change }) => {
    if (change.signal.aborted) change.reject(change.signal.reason);
    return !change.signal.aborted;
  });
}

/** Those whose files could be written; the others are rejected. */
async function putInPlace({ files }: Nginx, pending: readonly Pending[]): Promise<Pending[]> {
  const placed: Pending[] = [];
  for (const one of pending) {
    const { slug, text, reject } = one.change;
    await files.swap(slug, text).then(
      () => placed.push(one),
      (error: unknown) => reject(storageError(error, 'The site’s configuration')),
    );
  }
  return placed;
}

/** Reloads, verifies, and restores what is not verified. */
async function takeUp(tools: Nginx, main: MainConfig, pending: readonly Pending[]): Promise<void> {
  const { program, proof } = tools;
  const errorLog = await watchErrorLog(main.errorLog);
  let witnesses: Expectation[] = [];
  try {
    witnesses = await pickCanarySites(tools, new Set(pending.map(({ change }) => change.slug)));
    await program.reload();
  } catch (error) {
    await rollBack(tools, pending, () => error);
    return;
  }
  const expectations = expectationsOf(pending);
  const failures = await proof.prove([...expectations, ...witnesses], tools.proofTimeoutMs());
  const lost = witnesses.flatMap(({ tenant }) => failures.get(tenant.slug) ?? []);
  const failed = pending.filter(({ change }) => lost.length > 0 || failures.has(change.slug));
  const words = failed.length > 0 ? await errorLog.since() : [];
  await rollBack(tools, failed, ({ slug }) => {
    const own = failures.get(slug);
    const reason = own ?? `another site no longer answered after the change: ${lost.join('; ')}`;
    return new Error([`nginx did not apply the configuration, it was rolled back: ${reason}`, ...words].join('\n'));
  });
  const proven = pending.filter((one) => !failed.includes(one));
  // A second reload has followed for the verified ones.
  const fallen = failed.length > 0 ? await proof.prove(expectationsOf(proven), tools.proofTimeoutMs()) : new Map();
  for (const one of proven) {
    const fallenFor = fallen.get(one.change.slug);
    if (fallenFor === undefined) {
      one.change.log(one.change.site ? 'nginx serves the site as configured' : 'nginx no longer serves the site');
      await conclude(tools, one.change, true);
    } else one.change.reject(new Error(`nginx no longer serves the site: ${fallenFor}`));
  }
}

const expectationsOf = (pending: readonly Pending[]): Expectation[] =>
  pending.flatMap(({ change, before }) => expectationOf(change, before) ?? []);

/** The change is in service and can't be rolled back any more. */
async function conclude(tools: Nginx, change: Change, changed: boolean): Promise<void> {
  const { files, certificates, logger } = tools;
  try {
    await files.settle(change.slug);
    if (change.site) await certificates.prune(change.site);
    else await certificates.removeAll(change.slug);
  } catch (error) {
    logger.warn({ slug: change.slug, reason: messageOf(error) }, 'unused files of a site could not be removed');
  }
  change.resolve(changed);
}
