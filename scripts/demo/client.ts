/** The few calls the demo makes to the manager's API, as any client would. */
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
