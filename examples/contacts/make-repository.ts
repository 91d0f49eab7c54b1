import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const HERE = dirname(fileURLToPath(import.meta.url));
const PERSON = { name: 'The contacts authors', email: 'contacts@example.org' };
const FIRST_RELEASE = Date.UTC(2026, 0, 5, 12) / 1000;
const WEEK_SECONDS = 7 * 24 * 60 * 60;
/** Files that npm and a run of the application add to the sources. */
const LEFTOVERS = ['node_modules', 'data'];

/**
 * Creates the git repository of the sample application, with a tag for each version on branch `main`. Its commits are
 * the same on every machine, independent of time and git configuration.
 * @param directory created if missing; must be empty
 * @returns the repository's absolute path, and each version's commit
 */
export async function makeContactsRepository(
  directory: string,
): Promise<{ path: string; commits: Record<string, string> }> {
  const path = resolve(directory);
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0) throw new Error(`${path} is not empty`);
  await git(path, ['init', '--quiet', '--initial-branch=main', '--object-format=sha1', '--template=']);

  const commits: Record<string, string> = {};
  for (const [version, source] of [
    ['v1.0.0', 'app'],
    ['v1.1.0', 'v1.1.0'],
  ] as const) {
    await cp(join(HERE, source), path, {
      recursive: true,
      filter: (file) => !LEFTOVERS.includes(basename(file)),
    });
    commits[version] = await release(path, version);
  }
  return { path, commits };
}

/**
 * Adds a version to such a repository: a commit on `main` a week after the one before, and an annotated tag.
 * @param directory the repository
 * @param version the tag, `v1.2.0` say
 * @param files contents by path within the repository; null removes a file; without files only the version is new
 * @returns the commit
 */
export async function addRelease(
  directory: string,
  version: string,
  files: Record<string, string | null>,
): Promise<string> {
  const root = resolve(directory);
  for (const [name, content] of Object.entries(files)) {
    const path = resolve(root, name);
    const [first] = relative(root, path).split(sep);
    if (first === '' || first === '..' || first === '.git') throw new Error(`${name} is no path within the repository`);
    if (content === null) {
      await rm(path, { recursive: true });
    } else {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  }
  return release(root, version);
}

async function release(repository: string, version: string): Promise<string> {
  const seconds = await nextReleaseTime(repository);
  await git(repository, ['add', '--all']);
  await git(repository, ['commit', '--quiet', '--allow-empty', '--message', `Release ${version}`], seconds);
  await git(repository, ['tag', '--annotate', '--message', `Release ${version}`, '--', version], seconds);
  return git(repository, ['rev-parse', 'HEAD']);
}

async function nextReleaseTime(repository: string): Promise<number> {
  const last = await git(repository, ['for-each-ref', '--format=%(committerdate:unix)', 'refs/heads/main']);
  return last ? Number(last) + WEEK_SECONDS : FIRST_RELEASE;
}

/** Runs git without any configuration; of the caller's environment it gets only PATH. */
async function git(repository: string, parameters: string[], seconds = FIRST_RELEASE): Promise<string> {
  const settings = ['core.fileMode=false', 'core.autocrlf=false', 'core.excludesFile=/dev/null'];
  const { stdout } = await run('git', [...settings.flatMap((setting) => ['-c', setting]), ...parameters], {
    cwd: repository,
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: PERSON.name,
      GIT_AUTHOR_EMAIL: PERSON.email,
      GIT_AUTHOR_DATE: `${seconds} +0000`,
      GIT_COMMITTER_NAME: PERSON.name,
      GIT_COMMITTER_EMAIL: PERSON.email,
      GIT_COMMITTER_DATE: `${seconds} +0000`,
    },
  });
  return stdout.trim();
}

if (import.meta.main) {
  const [directory] = process.argv.slice(2);
  if (!directory) {
    console.error('Usage: node scripts/bootstrap.mjs examples/contacts/make-repository.ts <directory>');
    process.exit(2);
  }
  const { path, commits } = await makeContactsRepository(directory);
  console.log(path);
  for (const [version, commit] of Object.entries(commits)) console.log(`${version} ${commit}`);
}
