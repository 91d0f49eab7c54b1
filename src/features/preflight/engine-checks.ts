import type { ImageAccess } from '../../adapters/runtimes/image-access.ts';
import type { ProbeContainers, RuntimeProbes } from '../../adapters/runtimes/nodes.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import { type Check, NotChecked } from './run.ts';
import type { CheckCode } from './schema.ts';

/**
 * What deployments need of an engine. While the registry can't be asked, the checks after it use the engine's copy of the image.
 * What they make is removed by `probes.clear`.
 */
export function engineChecks(probes: RuntimeProbes, access: ImageAccess, image: string, outside: URL): Check[] {
  let made: ProbeContainers | undefined;

  async function needImage(): Promise<void> {
    if (!(await probes.hasImage(image))) throw new NotChecked('image_missing');
  }

  const inContainers = (
    code: CheckCode,
    after: readonly CheckCode[],
    run: (containers: ProbeContainers, work: Work) => Promise<void>,
  ): Check => ({
    code,
    after: ['containers', ...after],
    async run(work, statusOf) {
      // Containers that do not reach each other may reach the world.
      if (!made) throw new NotChecked('no_containers');
      for (const other of after)
        if (statusOf(other) !== 'good')
          throw new NotChecked(other === 'container_names' ? 'no_containers' : 'host_fails');
      await run(made, work);
      return undefined;
    },
  });

  const checks: Check[] = [
    {
      code: 'base_image',
      after: ['runtime'],
      moves: true,
      async run(work) {
        await probes.pull(image, access, work);
        return image;
      },
    },
    {
      code: 'build',
      after: ['base_image'],
      async run(work) {
        await needImage();
        await probes.build(image, work);
        return undefined;
      },
    },
    {
      code: 'network',
      after: ['runtime'],
      async run() {
        await probes.network();
        return undefined;
      },
    },
    {
      code: 'containers',
      after: ['base_image', 'network'],
      async run(work, statusOf) {
        if (statusOf('network') !== 'good') throw new NotChecked('no_network');
        await needImage();
        made = await probes.containers(image, work);
        await made.reachEachOther(work);
        return undefined;
      },
    },
    inContainers('published_port', [], async ({ published }, work) => published?.(work)),
    inContainers('container_names', ['host_names'], (containers, work) => containers.resolve(outside, work)),
    inContainers('container_https', ['host_https', 'container_names'], (containers, work) =>
      containers.request(outside, work),
    ),
  ];
  return checks.map(({ run, ...check }) => ({
    ...check,
    async run(work, statusOf) {
      if (statusOf('runtime') !== 'good') throw new NotChecked('runtime_unavailable');
      return run(work, statusOf);
    },
  }));
}
