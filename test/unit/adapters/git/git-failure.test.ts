import { expect, test } from '@jest/globals';
import { GitFailure } from '../../../../src/adapters/git/git.ts';

test.each([
  ["fatal: Authentication failed for 'https://git.example/app.git/'", 'The repository refuses the credentials.'],
  ['fatal: unable to access: The requested URL returned error: 403', 'The repository refuses the credentials.'],
  ['Host key verification failed.\nfatal: Could not read from remote', 'The key of the repository’s host is not'],
  ['fatal: unable to access: SSL certificate problem: self-signed', 'The repository’s host has no certificate'],
  ["fatal: unable to access 'x': Could not resolve host: git.example", 'The host name of the repository cannot'],
  ['fatal: unable to access: Failed to connect to 10.0.0.1 port 443', 'The repository’s host cannot be reached.'],
  ['error: unable to write file /srv/x: No space left on device', 'The manager’s disk is full.'],
  ["error: cannot lock ref 'refs/x/a': 'refs/x' exists; cannot create 'refs/x/a'", 'A branch or tag of the repository'],
  ["fatal: repository 'https://git.example/app.git/' not found", 'The repository does not exist, or may not be'],
  ['fatal: /srv/tenantry/sources/x.git: something else', 'git failed. The manager’s log has its output.'],
  ['', 'git failed. The manager’s log has its output.'],
])('reports %p in fixed words', (output, words) => {
  const { code, message, detail } = new GitFailure(output);
  expect([code, message.slice(0, words.length), detail]).toEqual(['git_error', words, undefined]);
  expect(message).not.toMatch(/fatal|git\.example|\/srv|10\.0\.0\.1/);
});

test('keeps the last lines of git’s output, without its hints', () => {
  expect(new GitFailure('1\n2\n3\n\nhint: try\n4\n5\n').printed).toBe('2 / 3 / 4 / 5');
});
