import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startProblem } from '../../../../src/features/diagnosis/facts/start-script.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-start-'));
  await mkdir(join(directory, 'bin'));
  const script = '#!/bin/sh\nexit 0\n';
  const files: Record<string, [string, number]> = {
    'crlf.sh': [script.replaceAll('\n', '\r\n'), 0o755],
    'env.sh': ['#!/usr/bin/env sh\r\nexit 0\r\n', 0o755],
    'interpreter.sh': ['#!/opt/no-shell\n', 0o755],
    'mode.sh': [script, 0o644],
    'good.sh': [script, 0o755],
    'fails.sh': ['#!/bin/sh\nno-such-program\n', 0o755],
    foreign: [`\x7fELF${'\0'.repeat(14)}\xf7\0${'\0'.repeat(100)}`, 0o755],
  };
  for (const [name, [text, mode]] of Object.entries(files)) {
    await writeFile(join(directory, name), text, 'latin1');
    await chmod(join(directory, name), mode);
  }
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What a shell says of a start line, and what is found. */
async function problemOf(line: string, onHost = true) {
  const { status, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd: directory, encoding: 'utf8' });
  return startProblem(directory, [...stderr.split('\n'), line], status, { onHost });
}

test.each([
  ['./crlf.sh', 'script_line_ends', { file: 'crlf.sh' }],
  ['exec ./crlf.sh', 'script_line_ends', { file: 'crlf.sh' }],
  ['./env.sh', 'script_line_ends', { file: 'env.sh' }],
  ['./interpreter.sh', 'script_interpreter_missing', { file: 'interpreter.sh', interpreter: '/opt/no-shell' }],
  ['./mode.sh', 'script_not_executable', { file: 'mode.sh' }],
  ['exec ./bin', 'script_is_directory', { file: 'bin' }],
  ['exec ./foreign', 'program_wrong_platform', { file: 'foreign' }],
])('%s: %s', async (line, code, params) => {
  expect(await problemOf(line)).toMatchObject({ code, params });
});

test('a program that is not in the checkout, or that fails, has another cause', async () => {
  expect(await problemOf('./good.sh')).toBeUndefined();
  expect(await problemOf('./no-such-file.sh')).toBeUndefined();
  expect(await problemOf('./fails.sh')).toBeUndefined();
  expect(await problemOf('../../../bin/sh -c "exit 127"')).toBeUndefined();
  // What an image has is not known here.
  expect(await problemOf('./interpreter.sh', false)).toBeUndefined();
});

test('an engine names the file in the container', async () => {
  const text = 'exec /app/crlf.sh: no such file or directory';
  expect(await startProblem(directory, [text], 127, { onHost: false })).toMatchObject({ code: 'script_line_ends' });
});
