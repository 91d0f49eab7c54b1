import { readFile } from 'node:fs/promises';
import { AppError } from '../../../../lib/errors.ts';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { rm } from '../../../../lib/files/changes.ts';
import { complaints, hasHttp2Directive, keepsConnections, type NginxProgram } from '../nginx-program.ts';
import type { Layout } from '../options.ts';
import { type CommonConfig, commonConfig, hashDirectives } from './common-config.ts';
import type { MainConfig } from './main-config.ts';

interface TestAnswer {
  valid: boolean;
  output: string;
}

interface Ensured {
  revision: string;
  written: boolean;
  answer: TestAnswer | undefined;
}

type Former = Map<string, string | undefined>;

/** The files all sites share, kept in their desired state. */
export class CommonFiles {
  readonly #layout: Layout;
  readonly #program: NginxProgram;
  #version: string | undefined;
  /** Directives that nginx reported as existing, in some file of its own. */
  readonly #elsewhere = new Set<string>();
  #problem: string | undefined;

  constructor(layout: Layout, program: NginxProgram) {
    this.#layout = layout;
    this.#program = program;
  }

  /** Why nginx rejects them, in its own words; undefined if it accepts them. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Writes missing or changed ones, has nginx test them, and restores the former ones if they, and nothing else, make the
   * configuration invalid.
   * @param options.test also when nothing had to be written: a directive they must not repeat may have been added elsewhere
   * @returns their revision, whether anything had to be written, and nginx's answer about the whole, if it was asked
   * @throws AppError proxy_unavailable in nginx's own words when it rejects them
   */
  async ensure(main: MainConfig, options = { test: false }): Promise<Ensured> {
    for (;;) {
      const config = await this.#config(main);
      const former = await differing(config);
      const written = former.size > 0;
      await write(config.files, former.keys());
      const answer = written || options.test ? await this.#ask() : undefined;
      if (answer?.valid === false) {
        const twice = hashDirectives.find((name) => answer.output.includes(`"${name}" directive is duplicate`));
        if (twice && !this.#elsewhere.has(twice)) {
          this.#elsewhere.add(twice);
          continue;
        }
        if (written) await this.#restoreIfBetter(config, former, answer.output);
      }
      this.#problem = undefined;
      return { revision: config.revision, written, answer };
    }
  }

  async #config(main: MainConfig): Promise<CommonConfig> {
    this.#version ??= await this.#program.version().catch(() => undefined);
    return commonConfig(this.#layout, {
      http2Directive: this.#version !== undefined && hasHttp2Directive(this.#version),
      keepsConnections: this.#version !== undefined && keepsConnections(this.#version),
      omit: hashDirectives.filter((name) => main.httpDirectives.has(name) || this.#elsewhere.has(name)),
    });
  }

  /** Undefined when nginx can't be asked: it will be when there is something to reload. */
  #ask(): Promise<TestAnswer | undefined> {
    return this.#program.test().catch(() => undefined);
  }

  async #restoreIfBetter(config: CommonConfig, former: Former, output: string): Promise<void> {
    await write(former, former.keys());
    if ((await this.#ask())?.valid) {
      this.#problem = `nginx refuses what all sites share: ${complaints(output)}`;
      throw new AppError('proxy_unavailable', this.#problem);
    }
    // Something else is wrong as well: the right files are no worse.
    await write(config.files, former.keys());
  }
}

/** The files that differ, with their current content. */
async function differing({ files }: CommonConfig): Promise<Former> {
  const former: Former = new Map();
  for (const [path, text] of files) {
    const there = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    if (there !== text) former.set(path, there);
  }
  return former;
}

async function write(texts: ReadonlyMap<string, string | undefined>, paths: Iterable<string>): Promise<void> {
  for (const path of paths) {
    const text = texts.get(path);
    if (text === undefined) await rm(path, { force: true });
    else await writeFileAtomic(path, text, 0o644);
  }
}
