import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { siteFileNames } from '../../site-files.ts';
import { type Expectation, expectationOfFile } from '../../site-header.ts';
import type { Layout } from '../options.ts';
import type { Proof } from '../verify/proof.ts';

const wanted = 2;
const triedAtMost = 6;

/** Two other served sites, which must be served after a change, too. Fewer if there are not two. */
export async function pickCanarySites(
  { layout, proof }: { layout: Layout; proof: Proof },
  changing: ReadonlySet<string>,
): Promise<Expectation[]> {
  const others = (await siteFileNames(layout)).filter((name) => !changing.has(name.replace(/\.conf$/, '')));
  const witnesses: Expectation[] = [];
  for (let tried = 0; tried < triedAtMost && witnesses.length < wanted && others.length > 0; tried += 1) {
    const [name = ''] = others.splice(Math.floor(Math.random() * others.length), 1);
    const text = await readFile(join(layout.sites, name), 'utf8').catch(() => undefined);
    const expectation = expectationOfFile(text);
    if (expectation && (await proof.mismatch(expectation)) === undefined) witnesses.push(expectation);
  }
  return witnesses;
}
