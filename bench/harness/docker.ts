import { run } from './harness.ts';

/** The docker program of this machine and what it can build with. */
export interface DockerCli {
  program: string;
  version: string;
  buildKit: boolean;
}

const candidates = ['docker', '/usr/bin/docker', '/usr/local/bin/docker'];

/** All docker programs that reach an engine, best first; none: no engine answers. */
export async function dockerClis(): Promise<DockerCli[]> {
  const found = await Promise.all(candidates.map((program) => look(program).catch(() => undefined)));
  const answering = found.filter((cli) => cli !== undefined);
  return answering.sort((a, b) => Number(b.buildKit) - Number(a.buildKit));
}

async function look(program: string): Promise<DockerCli> {
  const format = '{{.Client.Version}} (engine {{.Server.Version}})';
  const version = await run(program, ['version', '--format', format]);
  // From 23 on BuildKit comes with the plugin buildx, before it is in the program.
  const buildKit =
    Number.parseInt(version, 10) < 23 ||
    (await run(program, ['buildx', 'version']).then(
      () => true,
      () => false,
    ));
  return { program, version, buildKit };
}

/** The images that are missing, of those a benchmark needs. */
export async function missingImages(program: string, images: readonly string[]): Promise<string[]> {
  const looked = images.map((image) =>
    run(program, ['image', 'inspect', '--format', '{{.Id}}', image]).then(
      () => [],
      () => [image],
    ),
  );
  return (await Promise.all(looked)).flat();
}

/** Removes all containers, networks, volumes and, when wanted, images that bear the label. */
export async function removeLabelled(program: string, label: string, { images }: { images: boolean }): Promise<void> {
  const filter = ['--filter', `label=${label}`];
  const remove = async (list: readonly string[], removal: readonly string[]): Promise<void> => {
    const ids = (await run(program, [...list, ...filter])).split('\n').filter((id) => id !== '');
    if (ids.length > 0) await run(program, [...removal, ...new Set(ids)]);
  };
  await remove(['ps', '--all', '--quiet'], ['rm', '--force', '--volumes']);
  await remove(['network', 'ls', '--quiet'], ['network', 'rm']);
  await remove(['volume', 'ls', '--quiet'], ['volume', 'rm', '--force']);
  if (images) await remove(['image', 'ls', '--quiet'], ['image', 'rm', '--force']);
}
