import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { invalid } from '../../kernel/errors.ts';

const leastScore = 2;
/** Judging takes time that grows steeply with the length; a longer password is judged by its beginning. */
const judgedCharacters = 64;

let loading: Promise<ZxcvbnFactory> | undefined;

/** The dictionaries take a tenth of a second and 35 MiB: they come with the first password, not with every start. */
async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    translations: english.translations,
  });
}

/** Whether a password can be found in few guesses: common ones, the product's name, the user's own name and address. */
export async function isGuessable(password: string, user: { username: string; email: string }): Promise<boolean> {
  loading ??= load();
  const judge = await loading;
  const known = [user.username, user.email, ...user.email.split(/[@.]/), 'tenantry'].filter((word) => word !== '');
  return judge.check(password.slice(0, judgedCharacters), known).score < leastScore;
}

/** @throws AppError validation_error at `path` where the password is trivially guessable */
export async function assertGoodPassword(
  path: string,
  password: string,
  user: { username: string; email: string },
): Promise<void> {
  if (await isGuessable(password, user)) {
    throw invalid(path, 'Too easy to guess; use several unrelated words, or a password manager');
  }
}
