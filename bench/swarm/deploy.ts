import { newVersion } from '../deploy/applications.ts';
import { deployed, registered } from '../deploy/by-tenantry.ts';
import { stepsOf } from '../deploy/clock.ts';
import { alternate, type Findings, figures, ratiosOf, type Stage } from '../harness/harness.ts';
import { startOperators } from './operators.ts';

const rounds = 3;
const atMost = 1.3;

/** Deploying a new tenant to a swarm, against a script of the same docker commands (by-hand.sh). */
export async function benchSwarmDeploy(stage: Stage): Promise<Findings | { skipped: string }> {
  const operators = await startOperators(stage);
  if ('skipped' in operators) return operators;
  const { manager, repository, byHand, docker } = operators;
  const application = { title: 'sample application', repository };
  const steps: Awaited<ReturnType<typeof deployed>>[] = [];
  const pairs = await alternate(
    { rounds, warmUps: 1 },
    {
      async ours() {
        const version = await newVersion(application, 'code');
        const id = await registered(manager, { application });
        const result = await deployed(manager, id, version);
        steps.push(result);
        await manager.client.call('DELETE', `/api/tenants/${id}?remove_files=true`);
        return result.seconds;
      },
      async peer(round) {
        const version = await newVersion(application, 'code');
        const slug = `by-hand-${round}`;
        const began = performance.now();
        await byHand(version, slug);
        const seconds = (performance.now() - began) / 1000;
        await docker('service', 'rm', `${slug}-api`, `${slug}-frontend`);
        return seconds;
      },
    },
    (round, { ours, peer }) => stage.say(`round ${round}: ${ours.toFixed(1)} s, by hand ${peer.toFixed(1)} s`),
  );
  return {
    verdicts: [{ what: 'deployment to a swarm / by hand', ratios: ratiosOf(pairs), limit: { atMost } }],
    lines: [
      'three managers, a registry and MariaDB on this machine; a new commit with unchanged dependencies for each deployment; both build and push two images, run six migrations as services, and wait until both services run healthy and answer',
      ...figures(pairs, 'by hand', 's'),
      `steps, in seconds: ${stepsOf(steps.slice(1))}`,
    ],
  };
}
