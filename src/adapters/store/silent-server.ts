import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, createConnection } from 'mysql2';

/** How long a statement may go unanswered before the server is probed. */
const silenceMs = 3_000;
/** How long the probe may take. */
const probeTimeoutMs = 3_500;

type Config = Pick<ConnectionOptions, 'host' | 'port' | 'socketPath' | 'user' | 'password'>;

/**
 * A connection's socket (mysql2's `stream`) that is closed when its server hangs: an unanswered statement triggers a new
 * connection, and only if that is not answered either, the socket is destroyed. So a statement may take as long as it needs,
 * while a server that was suspended or lost its network is noticed within seconds.
 */
export function watchedSocket({ config }: { config: Config }): Socket {
  const socket = dial(config);
  socket.setNoDelay(true).setKeepAlive(true);
  let answered = 0;
  socket.on('data', () => {
    answered = socket.bytesWritten;
  });
  // A listener given to `setTimeout` would be called once only, perhaps while the connection is idle.
  socket.setTimeout(silenceMs).on('timeout', () => {
    if (socket.bytesWritten === answered) return;
    void isAlive(config).then((alive) => {
      // Probed again after the next silence.
      if (alive) socket.setTimeout(silenceMs);
      else socket.destroy(Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' }));
    });
  });
  return socket;
}

const dial = ({ host = 'localhost', port = 3306, socketPath }: Config): Socket =>
  socketPath ? connect(socketPath) : connect({ host, port });

const asking = new Map<string, Promise<boolean>>();

/** Whether the server answers a new connection, if only by refusing it; simultaneous callers share one probe. */
function isAlive(config: Config): Promise<boolean> {
  const key = `${config.host}:${config.port}:${config.socketPath}`;
  let answer = asking.get(key);
  if (!answer) {
    answer = new Promise<boolean>((resolve) => {
      const { host, port, socketPath, user, password } = config;
      const options = { host, port, socketPath, user, password, connectTimeout: probeTimeoutMs };
      const connection = createConnection(options as ConnectionOptions);
      connection.once('connect', () => {
        connection.end();
        resolve(true);
      });
      connection.on('error', ({ sqlState }: { sqlState?: string }) => resolve(sqlState !== undefined));
    }).finally(() => asking.delete(key));
    asking.set(key, answer);
  }
  return answer;
}
