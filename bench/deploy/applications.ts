import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addRelease, makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import type { ApplicationName, Change } from './series.ts';

export interface Application {
  /** What the application is and how many packages it installs; printed with the figures. */
  title: string;
  /** Path of its git repository. */
  repository: string;
}

const sampleFiles = join(import.meta.dirname, '../../examples/contacts/app');
const usualFiles = join(import.meta.dirname, 'usual-application');

/** Creates both repositories in the directory. */
export async function makeApplications(directory: string): Promise<Record<ApplicationName, Application>> {
  const sample = await makeContactsRepository(join(directory, 'contacts'));
  const usual = await makeContactsRepository(join(directory, 'contacts-usual'));
  await expectDependenciesOfSample();
  const files = ['package.json', 'package-lock.json'];
  const contents = await Promise.all(files.map((file) => readFile(join(usualFiles, file), 'utf8')));
  await addRelease(usual.path, 'v1.2.0', Object.fromEntries(files.map((file, at) => [file, contents[at] ?? null])));
  return {
    sample: { title: `sample application (about ${await packages(sampleFiles)} packages)`, repository: sample.path },
    usual: {
      title: `sample application with a usual web application's dependencies (about ${await packages(usualFiles)} packages)`,
      repository: usual.path,
    },
  };
}

let versions = 0;

/** A version without an image. */
export async function newVersion({ repository }: Application, change: Change): Promise<string> {
  versions += 1;
  const version = `v2.0.${versions}`;
  await addRelease(repository, version, {
    'shared/bench.js': `export const version = '${version} ${randomUUID()}';\n`,
    ...(change === 'dependencies' ? { '.npmrc': `ignore-scripts=true\n# ${randomUUID()}\n` } : {}),
  });
  return version;
}

/** The sample's code must run with the usual dependencies too. */
async function expectDependenciesOfSample(): Promise<void> {
  const [sample, usual] = await Promise.all([sampleFiles, usualFiles].map(dependencies));
  for (const [name, version] of Object.entries(sample ?? {}))
    if (usual?.[name] !== version)
      throw new Error(`bench/deploy/usual-application lacks the sample's ${name} ${version}`);
}

async function dependencies(directory: string): Promise<Record<string, string>> {
  const { dependencies } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  return dependencies;
}

/** The number of packages that the lock file installs on every platform. */
async function packages(directory: string): Promise<number> {
  const { packages } = JSON.parse(await readFile(join(directory, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { os?: string[]; cpu?: string[] }>;
  };
  return Object.entries(packages).filter(([path, { os, cpu }]) => path !== '' && !os && !cpu).length;
}
