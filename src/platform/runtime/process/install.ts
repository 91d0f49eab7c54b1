import { newId } from '../../../kernel/ids.ts';
import type { ReleaseRequest, Work } from '../runtime.ts';
import { runOwnLine } from './own-lines.ts';
import type { Environments } from './unit-environment.ts';
import type { Marks } from './unit-mark.ts';

/** Runs a release's install line as a local process. */
export function installer({ marks, environments }: { marks: Marks; environments: Environments }) {
  return ({ checkout, install: line }: ReleaseRequest & { install: string }, work: Work) => {
    const mark = marks.of(undefined, 'release', newId());
    return runOwnLine({ line, cwd: checkout, environment: environments.for({}, { mark }), mark }, work);
  };
}
