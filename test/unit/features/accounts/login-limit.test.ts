import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createLoginLimit } from '../../../../src/features/accounts/sign-in/login-limit.ts';
import { AppError } from '../../../../src/lib/errors.ts';

type Limit = ReturnType<typeof createLoginLimit>;

const fails = async () => undefined;
const succeeds = async () => 'in';
const refused = { code: 'rate_limited' };

async function exhaust(limit: Limit, name: string, address: string, failures = 10): Promise<void> {
  for (let attempt = 0; attempt < failures; attempt += 1) await limit.attempt({ name, address }, fails);
}

/** Fails with a name from many addresses, until a new address is delayed. */
async function flood(limit: Limit, name: string): Promise<void> {
  for (let n = 0; n < 30; n += 1) await limit.attempt({ name, address: `10.0.0.${n}` }, fails);
}

/** Seconds of Retry-After; 0 if the attempt is allowed. */
const retryAfter = (limit: Limit, name: string, address: string): Promise<number> =>
  limit.attempt({ name, address }, fails).then(
    () => 0,
    (error) => (error instanceof AppError ? Number(error.headers['Retry-After']) : Number.NaN),
  );

test.each([
  ['the same /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['the same /64, written out', '2001:db8::1', '2001:db8:0:0:1:2:3:4', true],
  ['another /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['another IPv4 address', '192.0.2.1', '192.0.2.2', false],
  ['another IPv4 address on an IPv6 socket', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
])('counts %s as one address or not', async (_what, first, second, isOne) => {
  const limit = createLoginLimit();
  await exhaust(limit, 'ada', first);
  const next = limit.attempt({ name: 'ada', address: second }, fails);
  if (isOne) await expect(next).rejects.toMatchObject(refused);
  else expect(await next).toBeUndefined();
});

test('a flood of wrong passwords from one address locks the name for that address only', async () => {
  const limit = createLoginLimit();
  await exhaust(limit, 'ada', '192.0.2.1');
  await expect(limit.attempt({ name: 'ada', address: '192.0.2.1' }, succeeds)).rejects.toMatchObject(refused);
  expect(await limit.attempt({ name: 'ada', address: '192.0.2.2' }, succeeds)).toBe('in');
  expect(await limit.attempt({ name: 'bob', address: '192.0.2.1' }, succeeds)).toBe('in');
});

test('a known pair of name and address is not affected by floods of either', async () => {
  const limit = createLoginLimit();
  const mine = { name: 'ada', address: '192.0.2.1' };
  expect(await limit.attempt(mine, succeeds)).toBe('in');
  await flood(limit, 'ada');
  for (let n = 0; n < 30; n += 1) await limit.attempt({ name: `n${n}`, address: mine.address }, fails);
  await expect(limit.attempt({ name: 'ada', address: '192.0.2.9' }, succeeds)).rejects.toMatchObject(refused);
  await expect(limit.attempt({ name: 'new', address: mine.address }, succeeds)).rejects.toMatchObject(refused);
  expect(await limit.attempt(mine, succeeds)).toBe('in');
});

test('failures of others behind the same address delay a known pair, but do not lock it', async () => {
  const limit = createLoginLimit();
  const mine = { name: 'ada', address: '192.0.2.1' };
  await limit.attempt(mine, succeeds);
  await exhaust(limit, mine.name, mine.address);
  expect(await retryAfter(limit, mine.name, mine.address)).toBe(1);
  let answer: string | undefined;
  for (let tries = 0; tries < 600 && answer === undefined; tries += 1) {
    await sleep(100);
    answer = await limit.attempt(mine, succeeds).catch(() => undefined);
  }
  expect(answer).toBe('in');
});

test('delays of a name grow with its failures', async () => {
  const limit = createLoginLimit();
  await flood(limit, 'ada');
  const seen = new Set<number>();
  for (let n = 0; n < 600 && seen.size < 3; n += 1) {
    seen.add(await retryAfter(limit, 'ada', `10.1.${Math.floor(n / 200)}.${n % 200}`));
    await sleep(100);
  }
  expect([...seen]).toEqual([1, 0, 2]);
});

test('an error in the check does not count as a failure', async () => {
  const limit = createLoginLimit();
  const breaks = () => Promise.reject(new Error('no database'));
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await expect(limit.attempt({ name: 'a', address: '::1' }, breaks)).rejects.toThrow('no database');
  }
  expect(await limit.attempt({ name: 'a', address: '::1' }, succeeds)).toBe('in');
});

test('never runs more checks than there are failures left, and at most two', async () => {
  const limit = createLoginLimit();
  let running = 0;
  let most = 0;
  const check = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(5);
    running -= 1;
    return undefined;
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, () => limit.attempt({ name: 'a', address: '10.0.0.1' }, check)),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(most).toBeLessThanOrEqual(2);
});

test('rejects new pairs while too many checks are queued, and accepts known ones', async () => {
  const limit = createLoginLimit();
  const mine = { name: 'ada', address: '192.0.2.1' };
  await limit.attempt(mine, succeeds);
  const gate = Promise.withResolvers<undefined>();
  const waiting = Array.from({ length: 200 }, (_, n) =>
    // Some wait for any check, others for those of their own pair.
    limit.attempt({ name: `n${n % 10}`, address: '10.0.0.1' }, () => gate.promise),
  );
  const known = limit.attempt(mine, succeeds);
  await sleep(50);
  await expect(limit.attempt({ name: 'late', address: '192.0.2.9' }, succeeds)).rejects.toMatchObject(refused);
  gate.resolve(undefined);
  await Promise.allSettled(waiting);
  expect(await known).toBe('in');
});
