import { expect, test } from '@jest/globals';
import { createLoginLimit } from '../../src/features/accounts/login-limit.ts';

const fails = async () => undefined;

async function exhaust(limit: ReturnType<typeof createLoginLimit>, address: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) await limit.attempt({ name: `n${attempt}`, address }, fails);
}

test.each([
  ['the same /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['the same /64, written out', '2001:db8::1', '2001:db8:0:0:1:2:3:4', true],
  ['another /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['another IPv4 address', '192.0.2.1', '192.0.2.2', false],
  ['another IPv4 address on an IPv6 socket', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
])('counts %s as one address or not', async (_what, first, second, isOne) => {
  const limit = createLoginLimit();
  await exhaust(limit, first);
  const next = limit.attempt({ name: 'somebody', address: second }, fails);
  if (isOne) await expect(next).rejects.toMatchObject({ code: 'rate_limited' });
  else expect(await next).toBeUndefined();
});

test('a check that breaks is no failure', async () => {
  const limit = createLoginLimit();
  const breaks = () => Promise.reject(new Error('no database'));
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await expect(limit.attempt({ name: 'a', address: '::1' }, breaks)).rejects.toThrow('no database');
  }
  expect(await limit.attempt({ name: 'a', address: '::1' }, async () => 'in')).toBe('in');
});

test('never has more checks under way than there are failures left', async () => {
  const limit = createLoginLimit();
  let running = 0;
  let most = 0;
  const check = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return undefined;
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) => limit.attempt({ name: 'a', address: `10.0.0.${n}` }, check)),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(most).toBeLessThanOrEqual(10);
});
