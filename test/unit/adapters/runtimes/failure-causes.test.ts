import { describe, expect, test } from '@jest/globals';
import { findCause } from '../../../../src/adapters/runtimes/failure-causes.ts';

describe('failure causes', () => {
  test.each([
    // Node
    ['Error: listen EADDRINUSE: address already in use 127.0.0.1:35314', 'Port 35314 is in use'],
    ['frontend cannot listen on 127.0.0.1:35314: listen EADDRINUSE: address already in use', 'Port 35314 is in use'],
    ['Error: listen EADDRINUSE: address already in use :::3000', 'Port 3000 is in use'],
    ['2026-11-22T10:11:12.345Z Error: listen EADDRINUSE: address already in use 127.0.0.1:3000', 'Port 3000 is in use'],
    [
      '{"level":50,"time":1795342271000,"pid":44,"err":{"message":"listen EADDRINUSE: address already in use :::3000","stack":"Error: listen EADDRINUSE: address already in use :::3000\\n    at node:net:1940:16","code":"EADDRINUSE","errno":-98,"port":3000},"msg":"failed"}',
      'Port 3000 is in use',
    ],
    ['{"level":50,"time":1795342271000,"msg":"address already in use","pid":44}', 'The port is in use'],
    ['[2026-11-22 10:11:12] address already in use', 'The port is in use'],
    ['Error: listen EACCES: permission denied 0.0.0.0:80', 'The application is not allowed to listen on 0.0.0.0:80'],
    [
      "ERROR:    [Errno 13] error while attempting to bind on address ('127.0.0.1', 80): permission denied",
      'The application is not allowed to listen on 127.0.0.1:80',
    ],
    ["Error: Cannot find module 'express'", 'The module “express” is missing'],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'pg' imported from /app/db.js", 'The module “pg” is missing'],
    ['Error: connect ECONNREFUSED 127.0.0.1:3306', 'The application cannot connect to its database (127.0.0.1:3306)'],
    ['Error: connect ECONNREFUSED ::1:8025', 'The application cannot connect to ::1:8025'],
    ['SequelizeConnectionRefusedError: connect ECONNREFUSED', 'The application cannot connect to its database'],
    ['Error: getaddrinfo ENOTFOUND mail.example', 'The host name mail.example cannot be resolved'],
    [
      "Error: ER_ACCESS_DENIED_ERROR: Access denied for user 'app'@'localhost' (using password: YES)",
      'The database refuses the user name or the password',
    ],
    [
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      'The application ran out of memory',
    ],
    ['Error: DATABASE_URL is not set', 'The environment variable DATABASE_URL is not set'],
    ['Error: PORT is missing in the environment', 'The environment variable PORT is not set'],
    ['Missing required environment variable: SMTP_HOST', 'The environment variable SMTP_HOST is not set'],
    ['Error: Environment variable "SMTP_HOST" must be set', 'The environment variable SMTP_HOST is not set'],
    ["Error: EACCES: permission denied, open '/etc/app.json'", 'The application has no permission for /etc/app.json'],
    ['Error: ENOSPC: no space left on device, write', 'The disk is full'],
    ["SyntaxError: Unexpected identifier 'x'", "The code has a syntax error: Unexpected identifier 'x'"],
    [
      'SyntaxError: Unexpected token \'<\', "<html>" is not valid JSON',
      'The application ended with “SyntaxError: Unexpected token \'<\', "<html>" is not valid JSON”',
    ],
    [
      "TypeError: Cannot read properties of undefined (reading 'x')",
      "The application ended with “TypeError: Cannot read properties of undefined (reading 'x')”",
    ],
    ['Error: no route to mysql://app:secret@db/x', 'The application ended with “Error: no route to mysql://…@db/x”'],
    // npm
    [
      'npm error ERESOLVE unable to resolve dependency tree',
      'npm cannot resolve the dependencies: two packages need different versions',
    ],
    ['npm ERR! code ERESOLVE', 'npm cannot resolve the dependencies: two packages need different versions'],
    [
      'npm error network request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org',
      'The package registry cannot be reached (registry.npmjs.org)',
    ],
    ['npm error code EAI_AGAIN', 'The package registry cannot be reached'],
    [
      'npm error 404 Not Found - GET https://registry.npmjs.org/no-such - Not found',
      'The package registry does not have https://registry.npmjs.org/no-such',
    ],
    [
      'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
      'package-lock.json does not fit package.json',
    ],
    ['npm error Missing script: "build"', 'package.json has no script “build”'],
    ['npm error gyp ERR! not ok', 'A native module cannot be built'],
    ['src/app.ts(3,7): error TS2304: Cannot find name "x".', 'The build failed: TS2304: Cannot find name "x".'],
    ['sh: 1: vite: not found', 'The program “vite” is not installed'],
    // Python
    ["ModuleNotFoundError: No module named 'flask'", 'The module “flask” is missing'],
    ['/usr/bin/python3: No module named uvicorn', 'The module “uvicorn” is missing'],
    ['OSError: [Errno 98] Address already in use', 'The port is in use'],
    [
      "ERROR:    [Errno 98] error while attempting to bind on address ('127.0.0.1', 8000): address already in use",
      'Port 8000 is in use',
    ],
    ["[ERROR] Connection in use: ('0.0.0.0', 8000)", 'Port 8000 is in use'],
    ["[2026-11-22 10:11:12 +0000] [7] [ERROR] Connection in use: ('127.0.0.1', 8000)", 'Port 8000 is in use'],
    [
      "2026-11-22 10:11:12,345 ERROR: [Errno 98] error while attempting to bind on address ('::1', 8000, 0, 0): address already in use",
      'Port 8000 is in use',
    ],
    ["KeyError: 'SECRET_KEY'", 'The environment variable SECRET_KEY is not set'],
    ["PermissionError: [Errno 13] Permission denied: '/srv/data'", 'The application has no permission for /srv/data'],
    ['IndentationError: unexpected indent', 'The code has a syntax error: unexpected indent'],
    ['MemoryError', 'The application ran out of memory'],
    [
      `pymysql.err.OperationalError: (2003, "Can't connect to MySQL server on 'db'")`,
      'The application cannot connect to its database',
    ],
    ['ERROR: No matching distribution found for flaks==9', 'pip cannot find the package flaks==9'],
    // Containers
    [
      'driver failed programming external connectivity on endpoint a-api: Bind for 127.0.0.1:32301 failed: port is already allocated',
      'Port 32301 is in use',
    ],
    [
      'failed to bind host port for 127.0.0.1:32301:172.18.0.3:8000/tcp: address already in use',
      'Port 32301 is in use',
    ],
    ['a-api does not stay up: Out of memory; given up after 10 restarts', 'The application ran out of memory'],
    [
      'a-api does not stay up: Exit code 137; starts again',
      'The application was killed (SIGKILL), usually because it ran out of memory',
    ],
    // Migrations
    [
      'SequelizeDatabaseError: SQLITE_ERROR: no such table: persons',
      'A migration does not fit the database: no such table: persons',
    ],
    [
      "Error: ER_TABLE_EXISTS_ERROR: Table 'widgets' already exists",
      "A migration does not fit the database: Table 'widgets' already exists",
    ],
    ['SqliteError: database is locked', 'The database is locked by another program'],
  ])('finds the cause in %j', (line, what) => {
    expect(findCause([line])?.what).toBe(what);
  });

  test('uses the last line with a cause, and names what to do', () => {
    const lines = [
      "Error: Cannot find module 'express'",
      'installed',
      'Error: listen EADDRINUSE: address already in use 127.0.0.1:3000',
      '    at Server.setupListenHandle [as _listen2] (node:net:1940:16)',
      '  code: ‘EADDRINUSE’,',
      'Node.js v24.21.0',
    ];
    const cause = findCause(lines.filter((line) => !line.includes('code:')));
    expect(cause).toEqual({
      code: 'port_in_use',
      what: 'Port 3000 is in use',
      advice: 'Stop what uses it, or give the tenant another port',
      port: 3000,
    });
  });

  test('finds no cause in warnings, requests or text without an error', () => {
    const lines = [
      'warning: SENTRY_DSN is not set',
      'POST /login: NAME is required',
      'GET /api/health 200 3ms',
      'listens on 127.0.0.1:35315',
      '',
    ];
    expect(findCause(lines)).toBeUndefined();
  });

  test('finds the cause in a line of any length', () => {
    expect(findCause([`${'a '.repeat(500_000)}`, 'Error: ENOSPC: no space left on device'])?.what).toBe(
      'The disk is full',
    );
  });
});
