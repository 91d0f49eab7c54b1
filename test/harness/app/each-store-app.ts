import { afterAll, beforeAll } from '@jest/globals';
import { eachDatabase, onSqlite } from '../servers/mariadb.ts';
import { type App, type AppOptions, startApp } from './app.ts';

type AppSuite = (app: () => App) => void;

/**
 * Runs the same suite on the real manager with SQLite and with a real MariaDB as its store, see `eachDatabase`.
 * @param suite gets a function that returns the app, which starts with each suite
 */
export function eachStoreApp(name: string, suite: AppSuite, options: AppOptions = {}): void {
  eachDatabase(name, withApp(suite, options));
}

/** Runs a suite on the real manager with SQLite, see `onSqlite`. */
export function appOnSqlite(name: string, suite: AppSuite, options: AppOptions = {}): void {
  onSqlite(name, withApp(suite, options));
}

const withApp = (suite: AppSuite, options: AppOptions) => (newDatabase: () => Promise<string>) => {
  let app: App | undefined;
  beforeAll(async () => {
    app = await startApp({ ...options, environment: { ...options.environment, DATABASE_URL: await newDatabase() } });
  });
  suite(() => {
    if (!app) throw new Error('The app is started before the first test of its suite');
    return app;
  });
  afterAll(() => app?.stop());
};
