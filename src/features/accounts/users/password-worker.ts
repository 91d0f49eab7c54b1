import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english, translations } from '@zxcvbn-ts/language-en';
import type { PasswordScore, PasswordScoreTask } from './password-rules.ts';

/** Entry of the worker that scores passwords, one after another. */
const phrase = ['correct', 'horse', 'battery', 'staple'];
const zxcvbn = new ZxcvbnFactory({
  // Four words of a diceware list, and known to everyone.
  dictionary: { ...common, ...english, phrases: ['', ' ', '-', '_', '.'].map((separator) => phrase.join(separator)) },
  graphs: adjacencyGraphs,
  translations,
});
parentPort?.on('message', ({ password, known }: PasswordScoreTask) => {
  const { score } = zxcvbn.check(password, known);
  // A word that is found at once, with digits and punctuation after it ("Password12345!").
  const word = /^(.*?)[^\p{L}]{1,8}$/u.exec(password)?.[1];
  const isDecoratedWord = word !== undefined && zxcvbn.check(word.toLowerCase(), known).score === 0;
  parentPort?.postMessage({ score: isDecoratedWord ? 0 : score } satisfies PasswordScore);
});
