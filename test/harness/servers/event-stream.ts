/** A message of a server-sent stream. */
export type StreamEvent = { type: string; [field: string]: unknown };

/** The messages of a server-sent stream as they arrive, until it ends or the signal aborts. */
export async function* readEvents(url: string, token: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal });
  if (!response.ok) throw new Error(`The stream was refused: ${response.status} ${await response.text()}`);
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + chunk).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data:'));
      if (data) yield JSON.parse(data.slice('data:'.length));
    }
  }
}
