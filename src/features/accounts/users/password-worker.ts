import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english, translations } from '@zxcvbn-ts/language-en';
import type { PasswordScore, PasswordScoreTask } from './password-rules.ts';

/** Entry of the worker that scores passwords, one after another. */
const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common, ...english },
  graphs: adjacencyGraphs,
  translations,
});
parentPort?.on('message', ({ password, known }: PasswordScoreTask) => {
  parentPort?.postMessage({ score: zxcvbn.check(password, known).score } satisfies PasswordScore);
});
