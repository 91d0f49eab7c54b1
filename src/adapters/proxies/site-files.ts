import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '../../lib/errors.ts';
import { writeFileAtomic } from '../../lib/files/atomic-file.ts';
import { copyFile, link, rename, rm, writeFile } from '../../lib/files/changes.ts';
import { isDiskFull } from '../../lib/files/disk-full-error.ts';
import { hostName, identifier, slugName } from './config-values.ts';
import type { FoundSite, RenderedSite, Site, SiteState } from './proxy.ts';
import { readSiteHeader, revisionOf, siteHeader } from './site-header.ts';

/** Translates a file system error of a change: a full disk is not the configuration's fault. */
export function storageError(error: unknown, what: string): Error {
  if (error instanceof AppError) return error;
  const text = `${what} could not be written, the former one stays: ${messageOf(error)}`;
  return isDiskFull(error)
    ? new AppError('insufficient_storage', text, { cause: error })
    : new Error(text, { cause: error });
}

/** The directory of a proxy's site files. */
export interface SiteDirectory {
  /** Absolute. */
  sites: string;
  /** Suffix of the file names, dot included. */
  extension: string;
}

/** The file of a tenant's site. @throws for a slug that could lead elsewhere */
export const sitePath = ({ sites, extension }: SiteDirectory, slug: string): string =>
  join(sites, `${slugName(slug)}${extension}`);

/**
 * A site's file: its header, and what the proxy reads.
 * @param body gets the slug and the revision, which is of everything but itself
 * @throws when a value cannot be in a configuration
 */
export function renderSiteFile(
  directory: SiteDirectory,
  site: Site,
  body: (slug: string, revision: string) => string,
): RenderedSite & { revision: string } {
  const slug = slugName(site.tenant.slug);
  const domains = { frontend: hostName(site.hosts.frontend.domain), api: hostName(site.hosts.api.domain) };
  if (domains.frontend === domains.api) throw new Error(`Both hosts of the site have the same name: ${domains.api}`);
  const identity = { tenant: { id: identifier(site.tenant.id), slug }, domains };
  const textWith = (revision: string): string => siteHeader({ ...identity, revision }) + body(slug, revision);
  const revision = revisionOf(textWith(''));
  return { path: sitePath(directory, slug), text: textWith(revision), revision };
}

/** The files the proxy reads, ours or not, in order of their names. */
export async function siteFileNames({ sites, extension }: SiteDirectory): Promise<string[]> {
  const names = await readdir(sites);
  return names.filter((name) => name.endsWith(extension) && !name.startsWith('.')).sort();
}

/**
 * The sites' files. A change keeps the former file under a name the proxy ignores until it is verified: as a second link, so
 * that it can be restored on a full disk too, and by the next manager if this one is killed in between. An empty one means that
 * there was none.
 */
export class SiteFiles {
  readonly #layout: SiteDirectory;
  readonly #render: (site: Site) => RenderedSite;

  constructor(layout: SiteDirectory, render: (site: Site) => RenderedSite) {
    this.#layout = layout;
    this.#render = render;
  }

  async state(site: Site): Promise<SiteState> {
    const there = await this.read(site.tenant.slug);
    if (there === undefined) return 'missing';
    return there === this.#render(site).text ? 'in_sync' : 'edited';
  }

  read(slug: string): Promise<string | undefined> {
    return textOf(sitePath(this.#layout, slug));
  }

  /** The file before an unverified change; undefined if there is no such change. */
  readFormer(slug: string): Promise<string | undefined> {
    return textOf(this.#formerPath(slug));
  }

  /** Installs the text (null: nothing), and keeps the former file. A failure changes nothing. */
  async swap(slug: string, text: string | null): Promise<void> {
    const path = sitePath(this.#layout, slug);
    const unproven = (await this.readFormer(slug)) !== undefined;
    try {
      if (!unproven) await this.#keep(path, this.#formerPath(slug));
      if (text === null) await rm(path, { force: true });
      else await writeFileAtomic(path, text, 0o644);
    } catch (error) {
      if (!unproven) await this.restore(slug);
      throw error;
    }
  }

  /** Undoes an uncommitted change. */
  async restore(slug: string): Promise<void> {
    const path = sitePath(this.#layout, slug);
    const former = this.#formerPath(slug);
    const kept = await stat(former).catch(noFile);
    if (!kept) return;
    if (kept.size === 0) await rm(path, { force: true });
    else await rename(former, path);
    // Also when both names are the same file: renaming one to the other then does nothing.
    await rm(former, { force: true });
  }

  /** Commits a verified change: it can't be rolled back any more. */
  async settle(slug: string): Promise<void> {
    await rm(this.#formerPath(slug), { force: true });
  }

  /** Every file with our header, by its name. */
  async found(): Promise<FoundSite[]> {
    const found: FoundSite[] = [];
    for (const name of await siteFileNames(this.#layout)) {
      const path = join(this.#layout.sites, name);
      const header = readSiteHeader((await textOf(path)) ?? '');
      if (header) found.push({ tenant: header.tenant, path, domains: header.domains });
    }
    return found;
  }

  #formerPath(slug: string): string {
    return join(this.#layout.sites, `.${slugName(slug)}.former`);
  }

  async #keep(path: string, former: string): Promise<void> {
    try {
      await link(path, former);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') await writeFile(former, '');
      // Some shared volumes do not support links.
      else if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') await copyFile(path, former);
      else throw error;
    }
  }
}

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(noFile);

function noFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
