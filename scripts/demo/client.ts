import { setTimeout as sleep } from 'node:timers/promises';

const maxWaitMs = 120_000;

/** The demo's calls to the manager's API, as any client would make them. */
export class ManagerClient {
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  async login(username: string, password: string): Promise<void> {
    const { access_token } = await this.call<{ access_token: string }>('POST', '/api/auth/login', {
      username,
      password,
    });
    this.#token = access_token;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(this.#token ? { authorization: `Bearer ${this.#token}` } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T & { detail?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail ?? ''}`);
    return answer;
  }

  /** Sends a file as a browser's form would. */
  async sendFile<T>(path: string, content: Uint8Array<ArrayBuffer>, name: string): Promise<T> {
    const form = new FormData();
    form.append('file', new Blob([content]), name);
    const headers = { authorization: `Bearer ${this.#token}` };
    const response = await fetch(this.#url + path, { method: 'POST', headers, body: form });
    const answer = (await response.json()) as T & { detail?: string };
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${answer.detail ?? ''}`);
    return answer;
  }

  /**
   * Repeats a request until its answer is as wanted.
   * @param what what is waited for, for the error
   * @throws Error after two minutes
   */
  async until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean, what: string): Promise<T> {
    const deadline = performance.now() + maxWaitMs;
    for (;;) {
      const answer = await ask();
      if (wanted(answer)) return answer;
      if (performance.now() > deadline) throw new Error(`${what} did not come within ${maxWaitMs / 1000} s`);
      await sleep(200);
    }
  }

  /** The messages of a stream as they come, over a WebSocket, until its end. */
  async *watch(path: string): AsyncGenerator<{ type: string; [field: string]: unknown }> {
    const socket = new WebSocket(this.#url.replace('http', 'ws') + path, ['bearer', this.#token]);
    const messages: { type: string; [field: string]: unknown }[] = [];
    let arrival = Promise.withResolvers<void>();
    let ended = false;
    const notify = (): void => {
      arrival.resolve();
      arrival = Promise.withResolvers();
    };
    socket.addEventListener('message', ({ data }) => {
      messages.push(JSON.parse(String(data)));
      notify();
    });
    socket.addEventListener('close', () => {
      ended = true;
      notify();
    });
    while (!ended || messages.length > 0) {
      const message = messages.shift();
      if (message) yield message;
      else await arrival.promise;
    }
  }

  /** A deployment's messages as they come, until its end. */
  async *messages(deploymentId: string): AsyncGenerator<{ type: string; [field: string]: unknown }> {
    const response = await fetch(`${this.#url}/api/deployments/${deploymentId}/logs?stream=true`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
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
}
