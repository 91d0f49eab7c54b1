/** What the thread that judges a password is given. */
export interface PasswordScoreTask {
  password: string;
  /** Words that are no secret: the user's own name and address, the product's. */
  known: string[];
}

/** What it answers: 0 (found in few guesses) to 4, as zxcvbn counts. */
export interface PasswordScore {
  score: number;
}
