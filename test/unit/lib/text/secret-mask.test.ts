import { expect, test } from '@jest/globals';
import { SecretMask } from '../../../../src/lib/text/secret-mask.ts';

const isMasked = (name: string, value: string): boolean =>
  !new SecretMask({ [name]: value }).apply(`it is ${value}, says the program`).includes(value);

test.each([
  ['STRIPE_KEY', 'short'],
  ['DB_PASSWORD', 'winter'],
  ['PIN_TOKEN', '884213'],
  ['SMTP_PWD', 'two words'],
  ['PARTNER', 'q7Wx9k2LmZ3kk'],
  ['SESSION', '550e8400-e29b-41d4-a716-446655440000'],
  ['HOOK', 'https://hooks.example.org/services/T0AB12/B0XY/Zk3kd93kdP'],
  ['QUEUE', 'amqp://shop:Dj3kd93kdP@queue.example.org/shop'],
  ['CALLBACK', 'https://example.org/back?code=planted'],
  ['RANDOM_LETTERS', 'AbCdEfGhIjKlMnOp'],
])('a value of %s is secret: %s', (name, value) => {
  expect(isMasked(name, value)).toBe(true);
});

test.each([
  ['LOG_LEVEL', 'info'],
  ['AUTH', 'true'],
  ['KEY_PORT', '8000'],
  ['PARTNER', 'short9'],
  ['REGION', 'eu-central-1-frankfurt'],
  ['TIME_ZONE', 'America/Argentina/Buenos_Aires'.replace('_', '-')],
  ['CONTACT', 'information@example.org'],
  ['SITE', 'https://app.example.org:8443/docs'],
  ['MODEL', 'llama3.1:8b-instruct'],
  ['LIMIT', '100000000000'],
  ['GREETING', 'Welcome to our shop!'],
  ['APP_NAME', 'q7Wx9k2LmZ3kk'],
])('a value of %s is not: %s', (name, value) => {
  expect(isMasked(name, value)).toBe(false);
});

test('a secret is found in JSON, paths, forms, and in base64 wherever it begins', () => {
  const secret = 'q7/W+x "9" ü&Z3kk';
  const mask = new SecretMask({ PARTNER_KEY: secret });
  const texts = [
    JSON.stringify({ secret }),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams({ secret }).toString(),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}:${secret}:after`).toString('base64')),
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}:${secret}:after`).toString('base64url')),
  ];
  expect(texts.map((text) => mask.apply(text).includes('••••'))).toEqual(texts.map(() => true));
});

test('overlapping secrets leave nothing, and the lines of a private key are masked one by one', () => {
  const mask = new SecretMask({ ONE_KEY: 'abcd1234', OTHER_KEY: '1234wxyz', LONG_KEY: 'abcd1234wx' });
  expect(mask.apply('<abcd1234wxyz> <abcd1234abcd1234>')).toBe('<••••> <••••••••>');
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----';
  expect(new SecretMask({ PEM: key }).apply('line: hkiG9w0BAQEFAASC')).toBe('line: ••••');
});

test('the longest of many secrets that begin alike is found, whatever their order', () => {
  const names = ['tok_aaaa-11', 'tok_aaaa-11-b', 'tok_aaaa-11-bz', 'tok_aaab', 'tok_a', 'tok_zz-1'];
  const mask = new SecretMask(Object.fromEntries(names.map((value, at) => [`KEY_${at}`, value])));
  expect(names.map((value) => mask.apply(`<${value}>`))).toEqual(names.map(() => '<••••>'));
  expect(mask.apply('tok_aaaa-11-a tok_aaaa-1 tok_b tok_zz-0')).toBe('••••-a ••••aaa-1 tok_b tok_zz-0');
});

test('the password of an address is masked alone, also percent-decoded, and API keys one by one', () => {
  const mask = new SecretMask({ DATABASE_URL: 'mysql://me:p%40ss-w9@db/x', API_KEYS: 'first-key,second-key' });
  expect(mask.apply('p%40ss-w9 p@ss-w9 me second-key')).toBe('•••• •••• me ••••');
});

test('an error is masked in place with its stack, cause and details, and stays the same object', () => {
  const cause = Object.assign(new Error('refused sk_live_9'), { detail: { lines: ['sk_live_9'] } });
  const error = new Error('failed with sk_live_9', { cause });
  const looped = Object.assign(error, { self: error, code: 'E7' });
  new SecretMask({ STRIPE_KEY: 'sk_live_9' }).applyWithin(looped);
  expect([error.message, cause.message, cause.detail.lines, looped.code]).toEqual([
    'failed with ••••',
    'refused ••••',
    ['••••'],
    'E7',
  ]);
  expect(`${error.stack} ${cause.stack}`).not.toContain('sk_live_9');
});
