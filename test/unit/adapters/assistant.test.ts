import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createAssistant } from '../../../src/adapters/assistant/assistant.ts';
import type { AssistantAddress, Question } from '../../../src/adapters/assistant/question.ts';
import {
  type AssistantBehaviour,
  type AssistantServer,
  startAssistantServer,
} from '../../harness/servers/assistant-server.ts';

let server: AssistantServer;
beforeAll(async () => {
  server = await startAssistantServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
});

const key = 'sk-very-secret-1234567890';
const assistant = (changes: Partial<AssistantAddress> = {}) =>
  createAssistant(async () => ({ baseUrl: server.baseUrl, apiKey: key, model: 'small', timeoutMs: 5_000, ...changes }));
const question: Question<{ colour: string }> = {
  name: 'colour',
  instructions: 'Name the colour.',
  data: { thing: 'grass' },
  answer: z.object({ colour: z.string() }),
};
const failure = async (behaviour: AssistantBehaviour, changes: Partial<AssistantAddress> = {}) => {
  server.behave(behaviour);
  try {
    await assistant(changes).ask(question);
  } catch (error) {
    const { code, message, cause } = error as { code: string; message: string; cause?: unknown };
    return { code, message, all: JSON.stringify([message, String(cause)]) };
  }
  throw new Error('It answered');
};

describe('an assistant behind an OpenAI-compatible API', () => {
  test('sends instructions and data separately, the key, and the response schema', async () => {
    server.behave({ answer: { colour: 'green' } });
    await expect(assistant().ask(question)).resolves.toEqual({ colour: 'green' });
    const [asked] = server.asked;
    expect(asked).toMatchObject({
      path: '/v1/chat/completions',
      authorization: `Bearer ${key}`,
      body: {
        model: 'small',
        messages: [
          { role: 'system', content: 'Name the colour.' },
          { role: 'user', content: '{"thing":"grass"}' },
        ],
        response_format: { type: 'json_schema', json_schema: { name: 'colour' } },
      },
    });
  });

  test.each([
    ['a fence', '```json\n{"colour":"green"}\n```'],
    ['a sentence before and after', 'Here you are:\n```json\n{"colour":"green"}\n```\nAnything else?'],
    ['thoughts before', '<think>{"colour":"red"}? No.</think>\n{"colour":"green"}'],
  ])('accepts %s around the answer', async (_, answer) => {
    server.behave({ answer });
    await expect(assistant().ask(question)).resolves.toEqual({ colour: 'green' });
  });

  test('describes the schema in the prompt if the server does not support response schemas', async () => {
    server.behave(({ body }) => (body.response_format ? { status: 400 } : { answer: { colour: 'green' } }));
    await expect(assistant().ask(question)).resolves.toEqual({ colour: 'green' });
    expect(server.asked).toHaveLength(2);
    const [instructions, data] = server.asked[1]?.body.messages ?? [];
    expect(instructions?.content).toMatch(/^Name the colour\.\n[\s\S]*JSON schema:\n\{.*"colour"/);
    expect(data).toEqual({ role: 'user', content: '{"thing":"grass"}' });
  });

  test('retries once after a transient failure', async () => {
    let times = 0;
    server.behave(() => {
      times += 1;
      return times === 1 ? { status: 429, headers: { 'retry-after-ms': '1' } } : { answer: { colour: 'green' } };
    });
    await expect(assistant().ask(question)).resolves.toEqual({ colour: 'green' });
    expect(server.asked).toHaveLength(2);
  });

  const now = { 'retry-after-ms': '1' };
  test.each<[string, AssistantBehaviour, string]>([
    [
      'a wrong key',
      { status: 401, body: `{"error":{"message":"Incorrect key: ${key}"}}` },
      'does not accept the key (401)',
    ],
    ['an unknown model', { status: 404 }, 'does not know the address or the model (404)'],
    ['a used-up account', { status: 429, headers: now }, '(429)'],
    ['a failing server', { status: 500, headers: now }, 'failed (500)'],
    ['a bad request', { status: 400 }, 'refused the request (400)'],
    ['prose', { answer: 'The grass is green, of course.' }, 'does not match the requested format'],
    ['another form', { answer: { color: 1 } }, 'does not match the requested format'],
    ['half an answer', { answer: '{"colour": "gr', finishReason: 'length' }, 'cut off'],
    ['half an answer without a finish reason', { answer: '{"colour": "gr' }, 'does not match the requested format'],
    ['a page of HTML', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, 'of no known form'],
    ['JSON that is none', { status: 200, body: '{"choices": [' }, 'can’t be read'],
    ['no choices', { status: 200, body: '{"choices": []}' }, 'of no known form'],
    ['null', { status: 200, body: 'null' }, 'of no known form'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/v1' } }, 'can’t be reached'],
    ['a broken connection', { byHand: (_, response) => void response.destroy() }, 'can’t be reached'],
    [
      'an endless answer',
      {
        byHand: (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const pour = (): void => {
            while (!response.destroyed && response.write(' '.repeat(65_536)));
          };
          response.on('drain', pour);
          pour();
        },
      },
      'can’t be read',
    ],
  ])('reports %s as an error without the key', async (_, behaviour, words) => {
    const { code, message, all } = await failure(behaviour);
    expect({ code, message }).toEqual({ code: 'ai_error', message: expect.stringContaining(words) });
    expect(all).not.toContain(key);
  });

  test('ends a silent or incomplete answer at the timeout', async () => {
    const silent: AssistantBehaviour = { byHand: () => undefined };
    const halting: AssistantBehaviour = { byHand: (_, response) => void response.writeHead(200).write('{"choices"') };
    for (const behaviour of [silent, halting]) {
      const { message } = await failure(behaviour, { timeoutMs: 200 });
      expect(message).toBe('The AI provider did not answer within 0.2 seconds');
    }
  });

  test('counts a long Retry-After pause towards the timeout', async () => {
    const { message } = await failure({ status: 429, headers: { 'retry-after': '30' } }, { timeoutMs: 300 });
    expect(message).toMatch(/within 0.3 seconds|\(429\)/);
  });

  test('can be cancelled by the caller', async () => {
    server.behave({ byHand: () => undefined });
    const abort = new AbortController();
    const asked = assistant().ask({ ...question, signal: abort.signal });
    abort.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
  });

  test('reports whether an assistant is configured', async () => {
    await expect(assistant().state()).resolves.toBe('ready');
    await expect(assistant({ apiKey: '' }).state()).resolves.toBe('ready');
    await expect(assistant({ baseUrl: '', apiKey: '' }).state()).resolves.toBe('none');
    await expect(assistant({ model: '' }).state()).resolves.toEqual({
      missing: expect.stringContaining('ai_provider_model'),
    });
  });
});
