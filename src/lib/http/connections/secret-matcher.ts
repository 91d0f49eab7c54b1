import { createHash, timingSafeEqual } from 'node:crypto';

/** A comparison with a secret that takes equally long whatever it is compared with. */
export function secretMatcher(secret: string): (candidate: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(secret);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}
