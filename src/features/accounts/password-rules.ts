import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import { invalid } from '../../kernel/errors.ts';

const leastScore = 2;
/** Judging takes time that grows steeply with the length; a longer password is judged by its beginning. */
const judgedCharacters = 64;

let judge: ZxcvbnFactory | undefined;

/** Whether a password can be found in few guesses: common ones, the product's name, the user's own name and address. */
export function isGuessable(password: string, user: { username: string; email: string }): boolean {
  // The dictionaries take a tenth of a second to build: at the first password, not at every start.
  judge ??= new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
  });
  const known = [user.username, user.email, ...user.email.split(/[@.]/), 'tenantry'].filter((word) => word !== '');
  return judge.check(password.slice(0, judgedCharacters), known).score < leastScore;
}

/** @throws AppError validation_error at `path` where the password is trivially guessable */
export function assertGoodPassword(path: string, password: string, user: { username: string; email: string }): void {
  if (isGuessable(password, user)) {
    throw invalid(path, 'Too easy to guess; use several unrelated words, or a password manager');
  }
}
