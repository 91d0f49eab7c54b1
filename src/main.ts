/** Starts the manager: reads the environment, composes the app, listens, and stops gracefully. */

const neededNode = 24;
if (Number.parseInt(process.versions.node, 10) < neededNode) {
  console.error(
    `Tenantry needs Node ${neededNode} or newer; this is ${process.versions.node}. Start it with: npm start`,
  );
  process.exit(1);
}

// Loaded only now: an older Node would crash in a native module before it could say what is wrong.
const { readConfig, ConfigError } = await import('./app/config/config.ts');
const { endOnFatalErrors } = await import('./app/lifecycle/fatal-errors.ts');
const { startManager } = await import('./app/lifecycle/manager.ts');
const { createLogger, terminalDestination } = await import('./lib/logger.ts');

try {
  const config = readConfig(process.env);
  // docker-modem reads it, too, and fails at several addresses. With one of them it sets up TLS (DOCKER_TLS_VERIFY, DOCKER_CERT_PATH),
  // which all managers get.
  const [engine] = process.env.DOCKER_HOST?.split(',') ?? [];
  if (engine) process.env.DOCKER_HOST = engine.trim();
  const destination = process.stdout.isTTY ? await terminalDestination() : undefined;
  const logger = createLogger({ level: config.LOG_LEVEL, destination });
  const forgetSecrets = process.argv.includes('--forget-secrets');
  endOnFatalErrors(logger, config);
  let stopManager: (() => Promise<void>) | undefined;
  let stopping = false;
  // A Docker engine that hangs can delay the shutdown. All work can be resumed, so it is not waited for.
  const longestStopMs = 25_000;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const stop = (): void => {
      // A start that is interrupted is like a crash, which the next start recovers from.
      if (!stopManager) {
        process.off(signal, stop);
        process.kill(process.pid, signal);
        // Process 1 of a container does not end by a signal.
        process.exit(1);
      }
      // A terminal sends the signal to the whole process group, npm hands it on as well.
      if (stopping) return;
      stopping = true;
      setTimeout(() => process.exit(1), longestStopMs).unref();
      stopManager().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    };
    // Before the manager says that it is ready: what stops it may come at once.
    process.on(signal, stop);
  }
  stopManager = (await startManager(config, process.env, { logger, forgetSecrets })).stop;
  setTimeout(() => void collectGarbage(), 5_000).unref();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** The start leaves some 30 MB of garbage, which V8 keeps while the manager has nothing to do. */
async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  // Inside the callback the session holds a lock that its own end waits for.
  session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()));
}
