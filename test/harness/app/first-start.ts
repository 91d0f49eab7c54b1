import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { type App, type AppOptions, startApp } from './app.ts';

/** A manager on its first start, which has generated its administrator's password. */
export async function startForTheFirstTime(options: AppOptions = {}): Promise<{ app: App; password: string }> {
  const spy = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const app = await startApp({ ...options, environment: { ...options.environment, ADMIN_PASSWORD: '' } }).finally(() =>
    spy.mockRestore(),
  );
  const password = await readFile(join(app.directory, 'data', 'initial-admin-password'), 'utf8');
  return { app, password: password.trim() };
}
