import { newId } from '../../../../lib/ids.ts';
import type { ReleaseRequest, Work } from '../../runtime.ts';
import { runOwnLine } from './logs/runtime-lines.ts';
import type { Environments } from './units/unit-environment.ts';
import type { Marks } from './units/unit-mark.ts';

/** Runs a release's install line as a local process. */
export function installer({ marks, environments }: { marks: Marks; environments: Environments }) {
  return ({ checkout, install: line }: ReleaseRequest & { install: string }, work: Work) => {
    const mark = marks.of(undefined, 'release', newId());
    return runOwnLine({ line, cwd: checkout, environment: environments.for({}, { mark }), mark }, work);
  };
}
