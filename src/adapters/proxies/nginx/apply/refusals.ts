import { join } from 'node:path';
import { sitePath } from '../../site-files.ts';
import { complaints, conflictingNames } from '../nginx-program.ts';
import type { Layout } from '../options.ts';
import { type Change, domainsOf } from './change.ts';

/** The changes nginx's answer to their candidate speaks against, each with nginx's own words. */
export function refusals(
  layout: Layout,
  changes: readonly Change[],
  answer: { valid: boolean; output: string },
): Map<Change, string> {
  const refused = new Map<Change, string>();
  if (!answer.valid) {
    const words = complaints(answer.output);
    for (const change of changes) if (isNamed(layout, change, words)) refused.set(change, words);
  }
  // Only a warning to nginx, which would then serve one of the two for both: whoever came first keeps the name.
  for (const { domain, line } of conflictingNames(answer.output)) {
    const wanting = changes.filter((change) => domainsOf(change).includes(domain));
    for (const change of wanting.length > 1 ? wanting.slice(1) : wanting) {
      if (!refused.has(change)) refused.set(change, line);
    }
  }
  return refused;
}

/** nginx names the file it reads, but of a certificate it cannot use the certificate's path alone. */
const isNamed = (layout: Layout, { slug, text }: Change, words: string): boolean =>
  text !== null &&
  (words.includes(`${sitePath(layout, slug)}:`) || words.includes(join(layout.certificates, slug, '/')));
