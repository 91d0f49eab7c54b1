/** What Node's http does, without its WebSocket: an `import` from 'node:http' loads that as well, and with it undici (10 MB). */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
