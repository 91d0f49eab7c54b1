import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common';
import { dictionary as english, translations } from '@zxcvbn-ts/language-en';
import { serveTask } from '../../../lib/workers/serve.ts';
import type { PasswordScore, PasswordScoreTask } from './password-rules.ts';

/** Entry of the worker that scores a password. */
serveTask<PasswordScoreTask, never, PasswordScore>(async ({ password, known }) => {
  const zxcvbn = new ZxcvbnFactory({
    dictionary: { ...common, ...english },
    graphs: adjacencyGraphs,
    translations,
  });
  return { score: zxcvbn.check(password, known).score };
});
