import { run } from './harness.ts';

/** A docker program of this machine and whether it builds with BuildKit. */
export interface DockerCli {
  program: string;
  version: string;
  buildKit: boolean;
}

const candidates = ['docker', '/usr/bin/docker', '/usr/local/bin/docker'];

/** All docker programs that reach an engine, the best first. Empty if no engine answers. */
export async function dockerClis(): Promise<DockerCli[]> {
  const found = await Promise.all(candidates.map((program) => inspect(program).catch(() => undefined)));
  const answering = found.filter((cli) => cli !== undefined);
  return answering.sort((a, b) => Number(b.buildKit) - Number(a.buildKit));
}

async function inspect(program: string): Promise<DockerCli> {
  const format = '{{.Client.Version}} (engine {{.Server.Version}})';
  const version = await run(program, ['version', '--format', format]);
  // Since version 23 BuildKit needs the buildx plugin; older versions include it.
  const buildKit =
    Number.parseInt(version, 10) < 23 ||
    (await run(program, ['buildx', 'version']).then(
      () => true,
      () => false,
    ));
  return { program, version, buildKit };
}

/** The images of the list that the engine lacks. */
export async function missingImages(program: string, images: readonly string[]): Promise<string[]> {
  const checks = images.map((image) =>
    run(program, ['image', 'inspect', '--format', '{{.Id}}', image]).then(
      () => [],
      () => [image],
    ),
  );
  return (await Promise.all(checks)).flat();
}

/** Removes all containers, networks and volumes with the label, and on request the images. */
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
