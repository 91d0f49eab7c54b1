import { jest } from '@jest/globals';
import { type App, type AppOptions, startApp } from './app.ts';

/** A manager that was never started before and has made its administrator's password up; it prints it once. */
export async function startForTheFirstTime(options: AppOptions = {}): Promise<{ app: App; password: string }> {
  let printed = '';
  const spy = jest.spyOn(console, 'log').mockImplementation((line) => {
    printed += String(line);
  });
  const app = await startApp({ ...options, environment: { ...options.environment, ADMIN_PASSWORD: '' } }).finally(() =>
    spy.mockRestore(),
  );
  return { app, password: /Password: +(\S+)/.exec(printed)?.[1] ?? '' };
}
