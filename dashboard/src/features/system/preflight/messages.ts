import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  section: 'Check this host',
  hint: 'Tries out what deployments need, with containers and files that are removed again. Most checks end within seconds.',
  start: 'Check now',
  again: 'Check again',
  running: 'Checking…',
  image: 'Base image',
  imageHint: 'It is pulled, built from and run, and needs Node.js. Leave empty for node:24-bookworm-slim.',
  emptyTitle: 'Not checked yet',
  emptyHint: 'Check before the first deployment whether the engine, registries, networks and disks are ready.',
  checking: (done: number, all: number) => format('{done} of {all} checks done', { done, all }),
  ended: (failed: number, unknown: number) => {
    const open =
      unknown === 0
        ? ''
        : format(', {unknown, plural, one {# check says nothing} other {# checks say nothing}}', { unknown });
    return (
      (failed === 0
        ? 'No fault found'
        : format('{failed, plural, one {# check failed} other {# checks failed}}', { failed })) + open
    );
  },
  open: 'Open the page',
  statuses: {
    pending: 'waiting',
    running: 'running',
    good: 'good',
    failed: 'failed',
    not_checked: 'not checked',
  },
  checks: {
    runtime: 'Runtime and its version',
    base_image: 'Pull of a base image',
    build: 'Build of an image',
    network: 'Network for a tenant',
    containers: 'Two containers reach each other',
    published_port: 'Published port of a container',
    host_names: 'Name resolution of the host',
    host_https: 'Outgoing HTTPS of the host',
    container_names: 'Name resolution of containers',
    container_https: 'Outgoing HTTPS of containers',
    tenant_database: 'Tenants’ database',
    proxy: 'Reverse proxy',
    bucket: 'Bucket of the backups',
    mail: 'Mail servers',
    clock: 'Clock',
    data_disk: 'Disk of the data directory',
    engine_disk: 'Disk of the engine',
    image_disk: 'Disk of the engine’s images',
  },
  reasons: {
    runtime_unavailable: 'Not checked: the runtime does not answer.',
    image_missing: 'Not checked: the engine does not have the base image.',
    no_network: 'Not checked: there is no network for it.',
    no_containers: 'Not checked: there are no containers to check it with.',
    host_fails: 'Not checked: the host itself cannot do it.',
    no_other_clock: 'Not checked: no server outside of this host says what time it is.',
    disk_not_visible: 'Not checked: the engine’s disk is not visible from here.',
    stopped: 'Not checked: the check was ended before.',
  },
};

export const preflightText = translated({ en, es });
