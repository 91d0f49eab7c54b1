import { median } from '../harness/harness.ts';

/** One deployment: seconds in total and per step. */
export interface Deployment {
  seconds: number;
  steps: Map<string, number>;
}

/** Runs from its creation to `end`. `step` starts the named step. */
export function stopwatch(): { step(name: string): void; end(): Deployment } {
  const began = performance.now();
  const steps = new Map<string, number>();
  let current = { name: '', since: began };
  const step = (name: string): void => {
    const now = performance.now();
    if (name === current.name) return;
    if (current.name !== '') steps.set(current.name, (now - current.since) / 1000);
    current = { name, since: now };
  };
  return {
    step,
    end() {
      step('end');
      return { seconds: (performance.now() - began) / 1000, steps };
    },
  };
}

/** `cloning 0.11, building 2.52`: the median of each step, in seconds. */
export const stepsOf = (deployments: readonly Deployment[]): string =>
  [...(deployments[0]?.steps.keys() ?? [])]
    .map((name) => `${name} ${median(deployments.map(({ steps }) => steps.get(name) ?? 0)).toFixed(2)}`)
    .join(', ');
