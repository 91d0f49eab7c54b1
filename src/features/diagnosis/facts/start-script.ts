import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { arch } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import type { CauseTexts } from '../../../lib/errors.ts';
import { open } from '../../../lib/files/changes.ts';

/** Why the program of a start line cannot be run, though it is in the repository. */
export const scriptTexts = {
  script_line_ends: {
    title: 'The first line of {file} ends with a carriage return (CRLF), so it cannot be run',
    remedy: 'Save it with LF, or add *.sh text eol=lf to .gitattributes, then deploy the fixed version',
  },
  script_interpreter_missing: {
    title: 'The first line of {file} names {interpreter}, which does not exist',
    remedy: 'Name another interpreter, or install this one, then deploy the fixed version',
  },
  script_not_executable: {
    title: '{file} is not executable',
    remedy: 'Run git update-index --chmod=+x {file} and commit it, then deploy the fixed version',
  },
  script_is_directory: {
    title: '{file} is a directory, not a program',
    remedy: 'Correct the start line, then deploy the fixed version',
  },
  program_wrong_platform: {
    title: '{file} is not built for this host’s processor and system ({platform})',
    remedy: 'Build it for them, then deploy the fixed version',
  },
} as const satisfies Record<string, CauseTexts>;

export interface ScriptProblem {
  code: keyof typeof scriptTexts;
  params: Readonly<Record<string, string>>;
}

/** Exit codes of shells and engines: the program is there but cannot be run, or it or its interpreter is not found. */
const refused = 126;
const notFound = 127;

/** ELF’s numbers of processors, by Node’s names. */
const machines: Readonly<Record<string, number>> = {
  x64: 62,
  arm64: 183,
  arm: 40,
  ia32: 3,
  riscv64: 243,
  ppc64: 21,
  s390x: 22,
};
const headBytes = 512;

/**
 * Looks at the files of a checkout that a start line, or the lines of a log, name.
 * @param exitCode that of the unit
 * @param options.onHost whether units run with the programs of this host
 */
export async function startProblem(
  checkout: string,
  texts: readonly string[],
  exitCode: number | null | undefined,
  { onHost }: { onHost: boolean },
): Promise<ScriptProblem | undefined> {
  if (exitCode !== refused && exitCode !== notFound) return undefined;
  const words = texts.flatMap((text) => text.split(/[\s:;,"'‘’“”()&|]+/)).filter((word) => /[./]/.test(word));
  for (const word of new Set(words)) {
    // In an image, the checkout is below another directory.
    const names = isAbsolute(word) ? [word.split('/').slice(2).join('/')] : [word];
    for (const name of names.map(normalize)) {
      if (name === '' || name === '.' || name.startsWith('..') || isAbsolute(name)) continue;
      const found = await problemOf(join(checkout, name), exitCode, onHost).catch(() => undefined);
      if (found) return { code: found.code, params: { file: name, ...found.params } };
    }
  }
  return undefined;
}

async function problemOf(path: string, exitCode: number, onHost: boolean): Promise<ScriptProblem | undefined> {
  const found = await lstat(path);
  if (found.isDirectory()) return exitCode === refused ? { code: 'script_is_directory', params: {} } : undefined;
  // Not a pipe, nor a link to another file of the host.
  if (!found.isFile()) return undefined;
  const head = await headOf(path);
  if (exitCode === refused) {
    if ((found.mode & 0o111) === 0) return { code: 'script_not_executable', params: {} };
    const platform = `${process.platform}, ${arch()}`;
    return isForeign(head) ? { code: 'program_wrong_platform', params: { platform } } : undefined;
  }
  const [first = ''] = head.toString('latin1').split('\n');
  if (first.endsWith('\r') && (first.startsWith('#!') || path.endsWith('.sh')))
    return { code: 'script_line_ends', params: {} };
  const interpreter = /^#! ?(\/\S{1,300})/.exec(first)?.[1];
  if (!onHost || interpreter === undefined) return undefined;
  const exists = await access(interpreter, constants.X_OK).then(
    () => true,
    () => false,
  );
  return exists ? undefined : { code: 'script_interpreter_missing', params: { interpreter } };
}

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** A program for another processor, or for Windows or macOS. */
function isForeign(head: Buffer): boolean {
  if (head.subarray(0, 4).toString('latin1') === '\x7fELF') return head.readUInt16LE(18) !== machines[arch()];
  return head.subarray(0, 2).toString('latin1') === 'MZ' || /^(?:cffaedfe|cafebabe)/.test(head.toString('hex', 0, 4));
}
