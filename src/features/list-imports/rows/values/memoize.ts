/** Longer texts rarely repeat, and a few thousand of them would fill the thread's memory. */
const maxLength = 60;

/**
 * The same function, which keeps its answers for the first texts that it is asked: for columns that say the same again and again
 * (states, districts, tags, family names). The answers are shared: don't change them.
 * @param most how many answers are kept
 */
export function memoize<Answer extends NonNullable<unknown>>(
  most: number,
  work: (text: string) => Answer,
): (text: string) => Answer {
  const known = new Map<string, Answer>();
  return (text) => {
    if (text.length > maxLength) return work(text);
    let answer = known.get(text);
    if (answer === undefined) {
      answer = work(text);
      if (known.size < most) known.set(text, answer);
    }
    return answer;
  };
}
