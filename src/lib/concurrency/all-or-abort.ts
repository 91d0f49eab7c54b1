/**
 * Runs work concurrently; when one part fails, the signal given to `begin` is aborted for the others. Resolves when all
 * succeed.
 * @throws the first failure, once every part has ended
 */
export async function allOrAbort(
  outer: AbortSignal,
  begin: (signal: AbortSignal) => readonly Promise<unknown>[],
): Promise<void> {
  const failed = new AbortController();
  const failures: unknown[] = [];
  const parts = begin(AbortSignal.any([outer, failed.signal])).map((part) =>
    part.catch((error: unknown) => {
      failures.push(error);
      failed.abort(error);
    }),
  );
  await Promise.all(parts);
  if (failures.length > 0) throw failures[0];
}
