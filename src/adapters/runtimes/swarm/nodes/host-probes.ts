import type { Engine } from '../../engine/client/docker-client.ts';
import { callDocker } from '../../engine/client/errors.ts';
import { overlayName } from '../../engine/names.ts';
import { EngineProbes, probeSpace } from '../../engine/probes.ts';
import type { RuntimeProbes } from '../../nodes.ts';
import type { SwarmContext } from '../context.ts';
import type { ReleaseImages } from '../images/release-images.ts';
import type { Networks } from '../networks.ts';

/**
 * Tries out what deployments need on the engine that builds them. The network is the swarm's; its containers are those of the
 * engine alone, since a service could run anywhere.
 */
export function createHostProbes(
  { instance }: SwarmContext,
  { builder, builders }: Pick<ReleaseImages, 'builder' | 'builders'>,
  networks: Networks,
): RuntimeProbes {
  const space = probeSpace(instance);
  const network = {
    name: overlayName(space.slug),
    ensure: () => networks.ensure(space, true),
    remove: () => networks.remove(space),
  };
  const probes = new Map(
    [...builders].map(([engine, { context, bases }]) => {
      // Units publish their ports on all addresses of their node.
      const facts = async () => ({
        can: await engine.abilities(),
        published: { at: '', askedAt: await addressOf(engine) },
      });
      return [engine, new EngineProbes(context, { bases, network, facts })];
    }),
  );
  async function here(): Promise<RuntimeProbes> {
    const { engine } = await builder();
    const found = probes.get(engine);
    if (!found) throw new Error('The engine that answers is not one of DOCKER_HOST');
    return found;
  }

  return {
    pull: async (image, access, work) => (await here()).pull(image, access, work),
    lookUp: async (image, access, work) => (await here()).lookUp(image, access, work),
    hasImage: async (image) => (await here()).hasImage(image),
    build: async (image, work) => (await here()).build(image, work),
    network: async () => (await here()).network(),
    containers: async (image, work) => (await here()).containers(image, work),
    /** An engine that does not answer is cleared by a later check. */
    async clear() {
      const clearOne = async (engine: Engine, found: EngineProbes): Promise<void> => {
        if ((await engine.availability()).available) await found.clearEngine();
      };
      await Promise.all([...probes].map(([engine, found]) => clearOne(engine, found)));
      await network.remove();
    },
  };
}

/** Where the other nodes, and the manager, reach an engine. */
async function addressOf({ prompt }: Engine): Promise<string> {
  const { Swarm: swarm } = (await callDocker(() => prompt.info())) as { Swarm?: { NodeAddr?: string } };
  return swarm?.NodeAddr || '127.0.0.1';
}
