/** More than any answer needs, in bytes. */
const largestAnswer = 2 * 1024 ** 2;

/** `fetch` that follows no redirect, which would take the key and the question elsewhere, and reads no endless answer. */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'error' });
  let seen = 0;
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen > largestAnswer) controller.error(new Error('The answer is larger than 2 MiB'));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted ?? null, { status, statusText, headers });
}
