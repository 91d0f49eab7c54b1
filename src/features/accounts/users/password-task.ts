/** Input of the worker that scores a password. */
export interface PasswordScoreTask {
  password: string;
  /** Words that are easy to guess: the user's name and address, the product's name. */
  known: string[];
}

/** The worker's result: zxcvbn's score from 0 (few guesses) to 4. */
export interface PasswordScore {
  score: number;
}
