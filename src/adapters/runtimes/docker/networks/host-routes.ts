import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { messageOf } from '../../../../lib/errors.ts';
import { callDocker } from '../../engine/client/errors.ts';
import { framesOf } from '../../engine/client/log-frames.ts';
import { createContainer, removeContainer } from '../../engine/containers.ts';
import { label, tenantLabels } from '../../engine/labels.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';

const table = '/proc/net/route';
const answerWithinMs = 20_000;

/**
 * The routing table of the engine's machine; empty if it cannot be read. A manager in a container sees its own network's routes only,
 * so a container of its image reads them in the machine's network.
 */
export async function hostRoutes(context: DockerContext, tenant: TenantSpace): Promise<string> {
  const self = await context.managerContainer();
  if (self === undefined) return readFile(table, 'utf8').catch(() => '');
  try {
    return await readByContainer(context, self, tenant);
  } catch (error) {
    // Such as an engine behind a proxy that allows no such containers.
    context.logger.warn({ reason: messageOf(error) }, 'the routes of the engine’s machine are not known');
    return '';
  }
}

async function readByContainer(context: DockerContext, self: string, tenant: TenantSpace): Promise<string> {
  const signal = AbortSignal.timeout(answerWithinMs);
  const { Image: image } = await callDocker(() => context.dockerWithTimeout.getContainer(self).inspect());
  const container = await createContainer(context, `tenantry-routes-${randomBytes(6).toString('hex')}`, {
    Image: image,
    // Of a job: a manager that ends here removes it at its next start.
    Labels: { ...tenantLabels(context.instance, tenant), [label.role]: 'job' },
    User: '65534:65534',
    Entrypoint: ['cat', table],
    Cmd: [],
    HostConfig: {
      NetworkMode: 'host',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      LogConfig: { Type: 'json-file', Config: {} },
    },
  });
  try {
    await callDocker(() => container.start(), signal);
    await callDocker(() => container.wait({ abortSignal: signal }), signal);
    const output = await callDocker(() => container.logs({ stdout: true, follow: false }), signal);
    let text = '';
    for await (const { content } of framesOf(Readable.from([output]))) text += content.toString();
    return text;
  } finally {
    await removeContainer(context, container.id);
  }
}
